package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
)

var updateScreens = flag.Bool("update-screens", false, "update the golden files of the screen")

// driver simulates the terminal, the agent and the clock of one screen.
type driver struct {
	t           *testing.T
	m           *model
	time        time.Time
	sent        []event.Command
	waiting     []event.Command // those of sent that wait for their answers
	savedDrafts []event.Draft
	log         []event.Event // durable events, as event.Rewound counts them
	quit        bool

	timers []timer
	draw   func(tea.View) // called with every view; may be nil
}

func newDriver(t *testing.T, width, height int, o screen.Options) *driver {
	t.Helper()
	d := bareDriver(t, o)
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
	if len(o.Session.History) > 0 {
		d.events(openedEvent(d.log))
	}
	return d
}

// bareDriver returns a driver whose screen has received no message yet.
func bareDriver(t *testing.T, o screen.Options) *driver {
	t.Helper()
	d := &driver{t: t, time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	if o.Version == "" {
		o.Version, o.Files.Dir, o.Files.Branch = "0.1", "~/src/shop", "main"
	}
	if o.Models.Name == "" {
		o.Models.Name, o.Models.Why, o.Models.Context = "anthropic/claude-sonnet", "ANTHROPIC_API_KEY is set", 200_000
	}
	if o.Session.Mode == "" {
		o.Session.Mode = "ask"
	}
	d.record(o.Session.History...)
	if o.Session.Page == nil {
		o.Session.Page = d.page
	}
	d.m = newModel(o, func() time.Time { return d.time }, d.onCommand)
	d.m.After = d.after
	return d
}

// record appends durable events to the log, as a session does.
func (d *driver) record(evs ...event.Event) {
	for _, ev := range evs {
		switch ev := ev.(type) {
		case *event.Partial:
		case *event.Rewound:
			if ev.Keep >= 0 && ev.Keep <= len(d.log) {
				d.log = d.log[:ev.Keep:ev.Keep]
			}
		case event.Durable:
			d.log = append(d.log, ev)
		}
	}
}

// page returns a range of the log.
func (d *driver) page(from, to int) ([]event.Event, error) {
	if from < 0 || from > to || to > len(d.log) {
		return nil, fmt.Errorf("no page from %d to %d of %d events", from, to, len(d.log))
	}
	return d.log[from:to], nil
}

// openedEvent returns the summary that the agent sends after opening a session.
func openedEvent(events []event.Event) event.Opened {
	s := event.Opened{Events: len(events)}
	var changes event.ChangeCount
	turn := 0 // index of the last prompt that began a turn
	for i, ev := range events {
		if changes.Add(ev) && len(s.Prompts) > 0 {
			s.Prompts[turn].Changes = changes.Sum()
		}
		switch ev := ev.(type) {
		case *event.UserSaid:
			if ev.Auto {
				break
			}
			s.Prompts = append(s.Prompts, event.PastPrompt{Text: ev.Text, Time: ev.Time, At: i, Steered: ev.Steered})
			if !ev.Steered {
				s.Bounds = append(s.Bounds, i)
				s.Turns++
				changes, turn = event.ChangeCount{}, len(s.Prompts)-1
			}
		case *event.StepEnd:
			s.Bounds = append(s.Bounds, i+1)
			if ev.Cost != nil {
				s.Cost += *ev.Cost
			}
		case *event.TodoSet:
			s.Todo = ev.Items
		case *event.Renamed:
			s.Title = ev.Title
		case *event.ModelSet:
			s.Model = ev.Model
		case *event.ModeSet:
			s.Mode = ev.Mode
		}
	}
	s.Bounds = slices.Compact(s.Bounds)
	return s
}

// send passes a message to the model, checks the screen and runs the command.
func (d *driver) send(msg tea.Msg) {
	d.t.Helper()
	_, cmd := d.m.Update(msg)
	d.quit = d.quit || d.m.Done
	d.checkScreen()
	d.runCmd(cmd)
}

// runCmd runs a command of the model synchronously.
func (d *driver) runCmd(cmd tea.Cmd) {
	d.t.Helper()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, tea.QuitMsg, tea.SuspendMsg:
	case tea.BatchMsg:
		for _, c := range msg {
			d.runCmd(c)
		}
	default:
		d.send(msg)
	}
}

// after starts a timer: advance sends msg when it is due.
func (d *driver) after(in time.Duration, msg tea.Msg) tea.Cmd {
	d.timers = append(d.timers, timer{d.time.Add(in), msg})
	return nil
}

// timer is a message and its due time.
type timer struct {
	at  time.Time
	msg tea.Msg
}

// checkScreen checks that the view fits in the window.
func (d *driver) checkScreen() {
	d.t.Helper()
	v := d.m.View()
	lines := strings.Split(v.Content, "\n")
	if len(lines) > max(d.m.Height, 1) {
		d.t.Fatalf("%d lines in a window of %d×%d", len(lines), d.m.Width, d.m.Height)
	}
	for i, l := range lines {
		if w := ansi.StringWidth(l); w > d.m.Width {
			d.t.Fatalf("line %d is %d wide in a window of %d×%d:\n%q", i, w, d.m.Width, d.m.Height, l)
		}
	}
	if c := v.Cursor; c != nil && (c.X < 0 || c.Y < 0 || c.X >= d.m.Width || c.Y >= d.m.Height) {
		d.t.Fatalf("cursor at %d,%d in a window of %d×%d", c.X, c.Y, d.m.Width, d.m.Height)
	}
	if d.draw != nil {
		d.draw(v)
	}
}

// events passes events of the agent to the model, as answers where commands wait for them.
func (d *driver) events(evs ...event.Event) {
	d.t.Helper()
	evs = slices.Clone(evs)
	for i, ev := range evs {
		evs[i] = d.withID(ev)
	}
	d.record(evs...)
	d.send(batch(evs))
}

// press presses keys, given by name: "ctrl+c", "enter", "a". After a
// digit it waits until the dialog takes the digit as an answer.
func (d *driver) press(names ...string) {
	d.t.Helper()
	for _, n := range names {
		d.tap(n)
		if len(n) == 1 && n[0] >= '0' && n[0] <= '9' && strings.Contains(d.screen(), "answers in a moment") {
			d.advance(dialog.DigitPause)
		}
	}
}

// tap presses a key and waits for nothing.
func (d *driver) tap(name string) {
	d.t.Helper()
	d.send(keyPress(name))
}

// pressSlowly presses keys with pauses of 200 ms.
func (d *driver) pressSlowly(names ...string) {
	d.t.Helper()
	for _, n := range names {
		d.advance(200 * time.Millisecond)
		d.press(n)
	}
}

// typeText types text, one character at a time.
func (d *driver) typeText(text string) {
	d.t.Helper()
	for _, r := range text {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// advance advances the clock and fires the timers that become due.
func (d *driver) advance(t time.Duration) {
	d.t.Helper()
	for end := d.time.Add(t); d.time.Before(end); {
		d.time = d.time.Add(min(spinnerPause, end.Sub(d.time)))
		due := d.timers
		d.timers = nil
		for _, t := range due {
			if t.at.After(d.time) {
				d.timers = append(d.timers, t)
				continue
			}
			d.send(t.msg)
		}
	}
}

// armDialog waits until the open dialog takes keys.
func (d *driver) armDialog() {
	d.t.Helper()
	d.advance(dialog.Quiet)
	if !d.m.dialog.Takes() {
		d.t.Fatal("the dialog takes no keys")
	}
}

func keyPress(name string) tea.KeyPressMsg {
	codes := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"space": tea.KeySpace, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "delete": tea.KeyDelete,
	}
	mods := map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "shift": tea.ModShift, "alt": tea.ModAlt}
	var msg tea.KeyPressMsg
	parts := strings.Split(name, "+")
	for _, p := range parts[:len(parts)-1] {
		msg.Mod |= mods[p]
	}
	last := parts[len(parts)-1]
	if code, ok := codes[last]; ok {
		msg.Code = code
		if last == "space" && msg.Mod == 0 {
			msg.Text = " "
		}
		return msg
	}
	msg.Code = []rune(last)[0]
	if msg.Mod == 0 {
		msg.Text = last
	}
	return msg
}

// screen returns the window as text.
func (d *driver) screen() string { return asText(d.m.View()) }

// asText returns a view as text, with the cursor drawn as ▌.
func asText(v tea.View) string {
	lines := strings.Split(ansi.Strip(v.Content), "\n")
	if c := v.Cursor; c != nil && c.Y < len(lines) {
		l := lines[c.Y]
		l += strings.Repeat(" ", max(0, c.X-ansi.StringWidth(l)))
		lines[c.Y] = ansi.Truncate(l, c.X, "") + "▌" + ansi.TruncateLeft(l, c.X+1, "")
	}
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// golden compares the screen with a golden file, and checks that its text is the same
// on the other kind of background.
func (d *driver) golden(name string) {
	d.t.Helper()
	d.compare(name, d.screen())
	d.checkOtherBackground()
}

func (d *driver) compare(name, got string) {
	d.t.Helper()
	file := filepath.Join("testdata", "screen", name+".txt")
	if *updateScreens {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			d.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		d.t.Fatalf("%v (run with -update-screens to create it)", err)
	}
	if diff := cmp.Diff(strings.Split(got, "\n"), strings.Split(string(want), "\n")); diff != "" {
		d.t.Errorf("%s (-got +want):\n%s", file, diff)
	}
}

// sameScreen compares the screen with that of another driver.
func (d *driver) sameScreen(other *driver) {
	d.t.Helper()
	if diff := cmp.Diff(strings.Split(other.screen(), "\n"), strings.Split(d.screen(), "\n")); diff != "" {
		d.t.Errorf("resumed (-got +want):\n%s", diff)
	}
}

// onCommand records a command to the agent. Drafts are recorded separately.
func (d *driver) onCommand(c event.Command) {
	if c, ok := c.(event.SaveDraft); ok {
		d.savedDrafts = append(d.savedDrafts, c.Draft)
		return
	}
	d.sent = append(d.sent, c)
	if event.RefOf(c) != (event.Ref{}) {
		d.waiting = append(d.waiting, c)
	}
}

// wantDrafts compares the saved drafts.
func (d *driver) wantDrafts(want ...event.Draft) {
	d.t.Helper()
	if diff := cmp.Diff(d.savedDrafts, want); diff != "" {
		d.t.Errorf("drafts (-got +want):\n%s", diff)
	}
}

// wantCommands compares the commands sent to the agent.
func (d *driver) wantCommands(want ...event.Command) {
	d.t.Helper()
	if diff := sameCommands(d.sent, want); diff != "" {
		d.t.Errorf("commands (-got +want):\n%s", diff)
	}
}

// sizes runs a test at the three window sizes that every screen supports.
func sizes(t *testing.T, f func(t *testing.T, size string, width, height int)) {
	for _, s := range [][2]int{{80, 24}, {120, 40}, {40, 12}} {
		size := fmt.Sprintf("%dx%d", s[0], s[1])
		t.Run(size, func(t *testing.T) { f(t, size, s[0], s[1]) })
	}
}

// Constructors of events.

func userSaid(text string) *event.UserSaid { return &event.UserSaid{Text: text} }

func streamed(reply, s string) event.Event {
	return event.Streamed{Reply: reply, Delta: llm.TextDelta{Text: s}}
}

func done(kind llm.Kind, reply, s string) *event.MessageDone {
	return &event.MessageDone{Message: llm.Message{Kind: kind, Reply: reply, Text: s}}
}

func call(reply, id, name string) *event.MessageDone {
	return &event.MessageDone{Message: llm.Message{Kind: llm.ToolCall, Reply: reply, ID: id, Name: name}}
}

func start(id, title string, effect event.Effect, targets ...event.Target) *event.ToolStart {
	return &event.ToolStart{ID: id, Title: title, Effect: effect, Targets: targets}
}

func result(id, title string, effect event.Effect, outcome event.Outcome, summary, output string, took time.Duration) *event.ToolEnd {
	return &event.ToolEnd{Title: title, Effect: effect, Outcome: outcome, Summary: summary, Duration: took,
		Result: llm.Message{Kind: llm.ToolResult, ID: id, Text: output, IsError: outcome != event.OK}}
}

func file(path string) event.Target { return event.Target{Kind: "path", Value: path} }

func turnEnd(reason event.Reason, took time.Duration) *event.TurnEnd {
	return &event.TurnEnd{Reason: reason, Duration: took, Usage: llm.Usage{Input: 5800, Output: 300}}
}
