package tui

import (
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// answersOf returns the answers that were sent.
func answersOf(d *driver) (all []event.Answer) {
	for _, c := range d.sent {
		if a, ok := c.(event.Answer); ok {
			all = append(all, a)
		}
	}
	return all
}

// fourAsks shows four questions that wait, the first of which takes keys.
func fourAsks(t *testing.T) *driver {
	t.Helper()
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), askCommand("0", "one"), askCommand("1", "two"), askCommand("2", "three"), askCommand("3", "four"))
	d.arms()
	return d
}

// A digit that is pressed four times answers four questions, as fast as a user
// presses it.
func TestFourDigitsAnswerFour(t *testing.T) {
	for _, gap := range []time.Duration{150 * time.Millisecond, 200 * time.Millisecond, 600 * time.Millisecond} {
		d := fourAsks(t)
		for range 4 {
			d.press("1")
			d.pass(gap)
		}
		if n := len(answersOf(d)); n != 4 {
			t.Errorf("%d of 4 questions were answered at a gap of %v", n, gap)
		}
	}
}

// A key that is held down answers the question that the user saw, and no other.
func TestHeldKeyAnswersOnce(t *testing.T) {
	for _, key := range []string{"1", "enter"} {
		for _, first := range []time.Duration{250 * time.Millisecond, 400 * time.Millisecond, 660 * time.Millisecond} {
			for _, again := range []time.Duration{30 * time.Millisecond, 60 * time.Millisecond, 100 * time.Millisecond} {
				d := fourAsks(t)
				d.press(key)
				d.pass(first)
				for range 40 {
					d.press(key)
					d.pass(again)
				}
				d.pass(3 * time.Second)
				if n := len(answersOf(d)); n != 1 {
					t.Errorf("%s: %d questions were answered, the key repeats after %v and every %v", key, n, first, again)
				}
				d.press("3")
				if n := len(answersOf(d)); n != 2 {
					t.Errorf("%s: after the pause 3 does not answer", key)
				}
			}
		}
	}
}

// A key that the terminal reports as held down answers nothing.
func TestReportedRepeatAnswersNothing(t *testing.T) {
	d := fourAsks(t)
	d.press("1")
	d.pass(400 * time.Millisecond)
	d.send(tea.KeyPressMsg{Code: '1', Text: "1", IsRepeat: true})
	d.pass(time.Minute)
	d.commands(event.Answer{ID: "0", Decision: event.Allow})
}

// An enter that follows an enter that answered counts after a pause, or after
// another key.
func TestEnterAfterAnEnter(t *testing.T) {
	d := fourAsks(t)
	d.press("enter")
	d.pass(600 * time.Millisecond)
	d.press("enter")
	d.sees("keys are ignored for a moment")
	d.pass(600 * time.Millisecond)
	d.press("enter")
	if n := len(answersOf(d)); n != 1 {
		t.Fatalf("%d answers", n)
	}
	d.pass(700 * time.Millisecond)
	d.press("enter")
	d.pass(200 * time.Millisecond)
	d.press("down", "up", "enter")
	d.commands(event.Answer{ID: "0", Decision: event.Allow}, event.Answer{ID: "1", Decision: event.Allow}, event.Answer{ID: "2", Decision: event.Allow})
}

// A digit that is pressed again waits for what follows: another key takes it
// back.
func TestDigitThatIsTakenBack(t *testing.T) {
	d := fourAsks(t)
	d.press("1")
	d.pass(200 * time.Millisecond)
	d.press("1", "down")
	d.pass(time.Minute)
	d.commands(event.Answer{ID: "0", Decision: event.Allow})
}

// hiddenLine returns the line that says how much of the question is hidden.
func hiddenLine(t *testing.T, d *driver) string {
	t.Helper()
	for line := range strings.Lines(d.screen()) {
		if strings.Contains(line, "more lines below") {
			return line
		}
	}
	t.Fatalf("nothing is hidden:\n%s", d.screen())
	return ""
}

// No key that approves scrolls a long command, and none approves right after its
// end came into view.
func TestYesNeverScrolls(t *testing.T) {
	long := func() *driver {
		d := newDriver(t, 80, 24, screen.Options{})
		d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", strings.Repeat("echo a line\n", 60)+"echo end"))
		d.arms()
		return d
	}
	for _, key := range []string{"1", "2", "enter"} {
		d := long()
		before := hiddenLine(t, d)
		for range 30 {
			d.press(key)
			d.pass(30 * time.Millisecond)
		}
		for range 5 {
			d.press(key)
			d.pass(time.Second)
		}
		if d.commands(); hiddenLine(t, d) != before {
			t.Errorf("%s scrolls", key)
		}
		if n := strings.Count(d.screen(), "to the end first"); n != 1 {
			t.Errorf("%d hints:\n%s", n, d.screen())
		}
		d.press("end")
		for range 5 {
			d.pass(600 * time.Millisecond)
			d.press(key)
		}
		d.commands()
		d.sees("is ignored for a moment")
		d.pass(700 * time.Millisecond)
		d.press("pgup") // it was read
		d.pass(100 * time.Millisecond)
		d.press(key)
		if len(answersOf(d)) != 1 {
			t.Errorf("%s does not approve after the pause:\n%s", key, d.screen())
		}
	}
	d := long()
	d.press("end", "3")
	d.commands(event.Answer{ID: "1", Decision: event.Refuse})
}

// No key changes the permission mode while a question waits.
func TestNoKeyOfADialogChangesTheMode(t *testing.T) {
	for name, evs := range map[string][]event.Event{"approval": asked(), "ask": choiceAsk(false)} {
		for _, before := range []string{"", "arms", "comment"} {
			d := newDriver(t, 80, 24, screen.Options{})
			d.events(evs...)
			if before != "" {
				d.arms()
			}
			if before == "comment" {
				d.enter("with")
			}
			d.press("shift+tab")
			d.pass(time.Second)
			d.press("shift+tab")
			if d.commands(); t.Failed() {
				t.Fatalf("%s, %s", name, before)
			}
		}
	}
}

// Tab goes to the next hunk, and shift+tab back.
func TestHunks(t *testing.T) {
	var u strings.Builder
	for i := range 6 {
		u.WriteString("@@ -" + strconv.Itoa(100*i+1) + ",1 +" + strconv.Itoa(100*i+1) + ",8 @@\n line\n")
		for range 7 {
			u.WriteString("+added in hunk " + strconv.Itoa(i) + "\n")
		}
	}
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), event.Asked{Ask: event.Ask{ID: "1", Title: "edit a.go", Effect: "write",
		Diffs: []event.Diff{{Path: "a.go", Unified: u.String(), Added: 42}}}})
	d.arms()
	d.press("tab", "tab")
	d.sees("added in hunk 2")
	d.lacks("added in hunk 0")
	d.press("shift+tab")
	d.sees("added in hunk 1")
	d.lacks("added in hunk 0")
	d.press("shift+tab")
	d.sees("added in hunk 0")
	d.press("shift+tab")
	d.sees("added in hunk 5")
	d.commands()
}

// Escape interrupts in the moment after an answer too, in which other keys are
// ignored.
func TestEscapeRightAfterAnAnswer(t *testing.T) {
	d := fourAsks(t)
	d.press("1")
	d.pass(100 * time.Millisecond)
	d.shows("keys are ignored for a moment")
	d.press("esc")
	d.commands(event.Answer{ID: "0", Decision: event.Allow}, event.Interrupt{})
}
