package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// answersOf returns the answers sent to the agent.
func answersOf(d *driver) (all []event.Answer) {
	for _, c := range d.sent {
		if a, ok := c.(event.Answer); ok {
			all = append(all, a)
		}
	}
	return all
}

// fourAsks returns a driver with four open dialogs. The first one takes keys.
func fourAsks(t *testing.T) *driver {
	t.Helper()
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), askCommand("0", "one"), askCommand("1", "two"), askCommand("2", "three"), askCommand("3", "four"))
	d.armDialog()
	return d
}

// Pressing a digit for each of four dialogs answers four.
func TestFourDigitsAnswerFour(t *testing.T) {
	for _, gap := range []time.Duration{150 * time.Millisecond, 200 * time.Millisecond, 600 * time.Millisecond} {
		d := fourAsks(t)
		for range 4 {
			d.press("1") // waits until it has answered
			d.advance(gap)
		}
		if n := len(answersOf(d)); n != 4 {
			t.Errorf("%d of 4 dialogs were answered at a gap of %v", n, gap)
		}
	}
}

// A key that is held down answers only the dialog that was visible when it was pressed.
func TestHeldKeyAnswersOnce(t *testing.T) {
	for _, key := range []string{"1", "enter"} {
		for _, first := range []time.Duration{250 * time.Millisecond, 400 * time.Millisecond, 660 * time.Millisecond} {
			for _, again := range []time.Duration{30 * time.Millisecond, 60 * time.Millisecond, 100 * time.Millisecond} {
				d := fourAsks(t)
				d.tap(key)
				d.advance(first)
				for range 40 {
					d.tap(key)
					d.advance(again)
				}
				d.advance(3 * time.Second)
				if n := len(answersOf(d)); n != 1 {
					t.Errorf("%s: %d dialogs were answered; the key repeats after %v and every %v", key, n, first, again)
				}
				d.press("3")
				if n := len(answersOf(d)); n != 2 {
					t.Errorf("%s: after the pause 3 does not answer", key)
				}
			}
		}
	}
}

// A key event that the terminal reports as a repeat answers nothing.
func TestReportedRepeatAnswersNothing(t *testing.T) {
	d := fourAsks(t)
	d.press("1")
	d.advance(400 * time.Millisecond)
	d.send(tea.KeyPressMsg{Code: '1', Text: "1", IsRepeat: true})
	d.advance(time.Minute)
	d.wantCommands(event.Answer{ID: "0", Decision: event.Allow})
}

// After an enter that answered, another enter answers only after a pause or another
// key.
func TestEnterAfterEnter(t *testing.T) {
	d := fourAsks(t)
	d.press("enter")
	d.advance(600 * time.Millisecond)
	d.press("enter")
	d.shows("new question: wait a moment")
	d.advance(600 * time.Millisecond)
	d.press("enter")
	if n := len(answersOf(d)); n != 1 {
		t.Fatalf("%d answers", n)
	}
	d.advance(700 * time.Millisecond)
	d.press("enter")
	d.advance(200 * time.Millisecond)
	d.press("down", "up", "enter")
	d.wantCommands(event.Answer{ID: "0", Decision: event.Allow}, event.Answer{ID: "1", Decision: event.Allow}, event.Answer{ID: "2", Decision: event.Allow})
}

// An enter that confirms a digit answers nothing, also if it is held down, because the digit
// has answered already.
func TestEnterAfterADigit(t *testing.T) {
	for _, gap := range []time.Duration{160 * time.Millisecond, 300 * time.Millisecond, 650 * time.Millisecond} {
		for _, first := range []time.Duration{30 * time.Millisecond, 400 * time.Millisecond, 660 * time.Millisecond} {
			d := fourAsks(t)
			d.press("1")
			d.advance(gap)
			d.press("enter")
			d.shows("new question: wait a moment")
			d.advance(first)
			for range 40 {
				d.press("enter")
				d.advance(30 * time.Millisecond)
			}
			d.wantCommands(event.Answer{ID: "0", Decision: event.Allow})
			d.advance(700 * time.Millisecond)
			d.press("enter")
			d.wantCommands(event.Answer{ID: "0", Decision: event.Allow}, event.Answer{ID: "1", Decision: event.Allow})
		}
	}
	d := fourAsks(t)
	d.press("1")
	d.advance(300 * time.Millisecond)
	d.press("down", "up", "enter")
	d.wantCommands(event.Answer{ID: "0", Decision: event.Allow}, event.Answer{ID: "1", Decision: event.Allow})
}

// A repeated digit takes effect after a delay. Another key within the delay cancels it.
func TestRepeatedDigitIsCancelled(t *testing.T) {
	d := fourAsks(t)
	d.press("1")
	d.advance(200 * time.Millisecond)
	d.tap("1")
	d.press("down")
	d.advance(time.Minute)
	d.wantCommands(event.Answer{ID: "0", Decision: event.Allow})
}

// hiddenLine returns the line with the number of hidden lines.
func hiddenLine(t *testing.T, d *driver) string {
	t.Helper()
	for line := range strings.Lines(d.screen()) {
		if strings.Contains(line, "more lines below") {
			return line
		}
	}
	t.Fatalf("no line shows how much is hidden:\n%s", d.screen())
	return ""
}

// The keys that approve never scroll a long command. They approve only after a pause
// once its end is visible.
func TestApprovingKeysDoNotScroll(t *testing.T) {
	long := func() *driver {
		d := newDriver(t, 80, 24, screen.Options{})
		d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", strings.Repeat("echo a line\n", 60)+"echo end"))
		d.armDialog()
		return d
	}
	for _, key := range []string{"1", "2", "enter"} {
		d := long()
		before := hiddenLine(t, d)
		for range 30 {
			d.press(key)
			d.advance(30 * time.Millisecond)
		}
		for range 5 {
			d.press(key)
			d.advance(time.Second)
		}
		if d.wantCommands(); hiddenLine(t, d) != before {
			t.Errorf("%s scrolls", key)
		}
		if n := strings.Count(d.screen(), "to the end first"); n != 1 {
			t.Errorf("%d hints:\n%s", n, d.screen())
		}
		d.press("end")
		for range 5 {
			d.advance(600 * time.Millisecond)
			d.press(key)
		}
		d.wantCommands()
		d.shows("you can approve in a moment")
		d.advance(700 * time.Millisecond)
		d.press("pgup") // the end was visible before
		d.advance(100 * time.Millisecond)
		d.press(key)
		if len(answersOf(d)) != 1 {
			t.Errorf("%s does not approve after the pause:\n%s", key, d.screen())
		}
	}
	d := long()
	d.press("end", "3")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Refuse})
}

// No key changes the permission mode while a dialog is open that does not offer it.
func TestDialogKeysDoNotChangeTheMode(t *testing.T) {
	for name, evs := range map[string][]event.Event{"approval": asked(), "ask": choiceAsk(false)} {
		for _, before := range []string{"", "arms", "comment"} {
			d := newDriver(t, 80, 24, screen.Options{})
			d.events(evs...)
			if before != "" {
				d.armDialog()
			}
			if before == "comment" {
				d.typeText("with")
			}
			d.press("shift+tab")
			d.advance(time.Second)
			d.press("shift+tab")
			if d.wantCommands(); t.Failed() {
				t.Fatalf("%s, %s", name, before)
			}
		}
	}
}

// Escape interrupts even right after an answer, while other keys are ignored.
func TestEscapeRightAfterAnAnswer(t *testing.T) {
	d := fourAsks(t)
	d.press("1")
	d.advance(100 * time.Millisecond)
	d.shows("new question: wait a moment")
	d.press("esc")
	d.wantCommands(event.Answer{ID: "0", Decision: event.Allow}, event.Interrupt{})
}
