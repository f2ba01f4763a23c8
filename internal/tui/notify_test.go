package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// rawOutput sends msg and returns the raw sequences written to the terminal.
func (d *driver) rawOutput(msg tea.Msg) []string {
	d.t.Helper()
	_, cmd := d.m.Update(msg)
	d.checkScreen()
	var out []string
	var work func(tea.Cmd)
	work = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		switch msg := cmd().(type) {
		case tea.RawMsg:
			out = append(out, msg.Msg.(string))
		case tea.BatchMsg:
			for _, c := range msg {
				work(c)
			}
		case nil, tea.QuitMsg, tea.SuspendMsg:
		default:
			d.send(msg)
		}
	}
	work(cmd)
	return out
}

func TestNotifications(t *testing.T) {
	end := batch{turnEnd(event.Done, 30*time.Second)}
	osc9 := screen.Terminal{Notify: screen.NotifyOSC9, NotifyAfter: 10 * time.Second}
	for _, c := range []struct {
		name     string
		terminal screen.Terminal
		focus    tea.Msg // the terminal's focus report, if any
		events   batch
		want     []string
	}{
		{"focused", osc9, tea.FocusMsg{}, end, nil},
		{"unknown focus", osc9, nil, end, nil},
		{"unfocused", osc9, tea.BlurMsg{}, end, []string{"\x1b]9;agent · shop: It is done.\a"}},
		{"a short turn", osc9, tea.BlurMsg{}, batch{turnEnd(event.Done, time.Second)}, nil},
		{"interrupted", osc9, tea.BlurMsg{}, batch{turnEnd(event.UserInterrupt, time.Hour)}, nil},
		{"failed", osc9, tea.BlurMsg{}, batch{&event.TurnEnd{Reason: event.ProviderError, Duration: time.Minute, Error: "no \x1b]0;way\a"}},
			[]string{"\x1b]9;agent · shop: " + ink.SanitizeLine("no \x1b]0;way\a") + "\a"}},
		{"a question", osc9, tea.BlurMsg{}, batch{event.Asked{Ask: event.Ask{ID: "1", Title: "edit a.go"}}}, []string{"\x1b]9;agent · shop: asks: edit a.go\a"}},
		{"a bell", screen.Terminal{Notify: screen.NotifyBell}, tea.BlurMsg{}, end, []string{"\a"}},
		{"777", screen.Terminal{Notify: screen.NotifyOSC777}, tea.BlurMsg{}, end, []string{"\x1b]777;notify;agent · shop;It is done.\a"}},
		{"99", screen.Terminal{Notify: screen.NotifyOSC99}, tea.BlurMsg{}, end,
			[]string{"\x1b]99;i=agent:d=0:o=unfocused;agent · shop\x1b\\\x1b]99;i=agent:p=body;It is done.\x1b\\"}},
		{"off", screen.Terminal{Notify: screen.NotifyOff}, tea.BlurMsg{}, end, nil},
		{"through tmux", screen.Terminal{Notify: screen.NotifyOSC9, Tmux: true}, tea.BlurMsg{}, end, []string{ansi.TmuxPassthrough("\x1b]9;agent · shop: It is done.\a")}},
	} {
		d := newDriver(t, 80, 24, screen.Options{Terminal: c.terminal})
		d.events(userSaid("go"), done(llm.Assistant, "r", "It is done."))
		if c.focus != nil {
			d.send(c.focus)
		}
		if diff := cmp.Diff(d.rawOutput(c.events), c.want); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// If the terminal does not report its focus, the user counts as away after a minute
// without a key press.
func TestNotificationWithoutFocus(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Terminal: screen.Terminal{Notify: screen.NotifyBell}})
	d.typeText("go")
	d.press("enter")
	d.events(userSaid("go"))
	d.time = d.time.Add(2 * time.Minute)
	if got := d.rawOutput(batch{turnEnd(event.Done, 2*time.Minute)}); len(got) != 1 {
		t.Errorf("got %q, want one bell", got)
	}
}

func TestTitleAndProgress(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Terminal: screen.Terminal{Progress: true}})
	check := func(title string, want *tea.ProgressBar) {
		t.Helper()
		v := d.m.View()
		if v.WindowTitle != title || cmp.Diff(v.ProgressBar, want) != "" || !v.ReportFocus {
			t.Errorf("got title %q, progress %v, want %q, %v", v.WindowTitle, v.ProgressBar, title, want)
		}
	}
	check("agent · shop", nil)
	d.events(userSaid("make the server\x1b[2J heed its --timeout, and test it\nlike so"))
	check("◦ shop · make the server␛[2J heed its --timeout,…", tea.NewProgressBar(tea.ProgressBarIndeterminate, 0))
	d.events(call("r", "1", "edit"), event.Asked{Ask: event.Ask{ID: "1", Title: "edit a.go"}})
	check("? shop · make the server␛[2J heed its --timeout,…", tea.NewProgressBar(tea.ProgressBarWarning, 100))
	d.press("esc")
	d.events(turnEnd(event.UserInterrupt, time.Second))
	check("shop · make the server␛[2J heed its --timeout,…", nil)
	d.events(&event.Renamed{Title: "timeouts"})
	check("agent · timeouts", nil)
}

// A terminal that drops the progress bar gets it again every second while the turn
// runs, and not after its end.
func TestProgressIsResent(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Terminal: screen.Terminal{Progress: true, RepeatProgress: true}})
	afterPause := func(want ...string) {
		t.Helper()
		d.time = d.time.Add(5 * time.Second)
		if diff := cmp.Diff(d.rawOutput(tickMsg{}), want); diff != "" {
			t.Error(diff)
		}
	}
	d.events(userSaid("go"))
	afterPause(ansi.SetIndeterminateProgressBar)
	if got := d.rawOutput(tickMsg{}); got != nil {
		t.Errorf("the progress bar was sent again too early: %q", got)
	}
	afterPause(ansi.SetIndeterminateProgressBar)
	d.events(done(llm.Assistant, "r", "It is done."), turnEnd(event.Done, time.Minute))
	afterPause()
}

func TestCopy(t *testing.T) {
	const answer = "Use this:\n\n```go\nfunc main() {\n\tprintln(1)\n}\n```\n\n- or\n\n  ```\n  make\n  ```\n"
	for _, c := range []struct {
		typed, message, copied string
	}{
		{"/copy", "Copied the last answer (13 lines) with wl-copy", answer},
		{"/copy code", "Copied code block 2 of 2 (1 line) with wl-copy", "make\n"},
		{"/copy code 1", "Copied code block 1 of 2 (3 lines) with wl-copy", "func main() {\n\tprintln(1)\n}\n"},
		{"/copy code 3", "2 code blocks: use a number from 1 to 2", ""},
		{"/copy that", "usage: /copy [code [N]]", ""},
	} {
		got := ""
		d := newDriver(t, 80, 24, screen.Options{Clipboard: screen.Clipboard{Copy: func(text string) (string, error) { got = text; return "wl-copy", nil }}})
		d.events(userSaid("how"), done(llm.Assistant, "r", answer), turnEnd(event.Done, time.Second))
		d.typeText(c.typed)
		seqs := d.rawOutput(keyPress("enter"))
		if got != c.copied || !strings.Contains(d.screen(), c.message) {
			t.Errorf("%s: copied %q, want %q and the message %q:\n%s", c.typed, got, c.copied, c.message, d.screen())
		}
		if want := ansi.SetSystemClipboard(c.copied); c.copied != "" && cmp.Diff(seqs, []string{want}) != "" {
			t.Errorf("%s: the terminal got %q, want %q", c.typed, seqs, want)
		}
	}
	for _, c := range []struct {
		length              int
		by                  string
		err                 error
		message, ofSelected string
	}{
		{100_000, "", nil, "Sent the last answer (1 line) to the terminal to copy.", "copied 1 line"},
		{100_000, "", errors.New("no pro\x1b[2Jgram"), "to copy. If it did not work: no pro␛[2Jgram", "copied 1 line"},
		{100_000, "wl-copy", errors.New("exit 1"), "to copy. If it did not work: exit 1", "copied 1 line"},
		{100_001, "wl-copy", nil, "Copied the last answer (1 line) with wl-copy.", "copied 1 line"},
		{100_001, "wl-copy", errors.New("exit 1"), "cannot copy the last answer (1 line): exit 1", "cannot copy 1 line: exit 1"},
		{100_001, "", nil, "Cannot copy the last answer (1 line): too long for the terminal.", "Cannot copy 1 line: too long for the terminal."},
		{100_001, "", errors.New("no pro\x1b[2Jgram"), "cannot copy the last answer (1 line): no pro␛[2Jgram", "cannot copy 1 line: no pro␛[2Jgram"},
	} {
		d := newDriver(t, 140, 24, screen.Options{Clipboard: screen.Clipboard{Copy: func(string) (string, error) { return c.by, c.err }}})
		d.events(done(llm.Assistant, "r", "Yes."+strings.Repeat("\n", c.length-4)))
		d.typeText("/copy")
		d.press("enter")
		d.shows(c.message)
		d.runCmd(d.m.prompt.Clipboard.CopySelection(strings.Repeat("x", c.length)))
		d.shows(c.ofSelected)
	}
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("/copy")
	d.press("enter")
	if !strings.Contains(d.screen(), "There is no answer to copy yet.") {
		t.Errorf("the message that there is no answer is missing:\n%s", d.screen())
	}
}
