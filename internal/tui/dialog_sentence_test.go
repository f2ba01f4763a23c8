package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
)

// A sentence that begins with a digit and is typed into an open dialog never answers it:
// it is the message to the model, or the answer in the user's words.
func TestSentenceWithADigitApprovesNothing(t *testing.T) {
	gap := dialog.DigitPause - time.Millisecond
	deletion := askCommand("1", "rm -rf build")
	deletion.Ask.Warnings = []string{"deletes files"}
	for _, ask := range []event.Asked{askCommand("1", "make"), deletion} {
		for _, text := range []string{"1. do this", "2 things are wrong", "3 files", "11 of them", "12 of them", "1yes", "2nd try", "yes but not now"} {
			d := newDriver(t, 80, 24, screen.Options{})
			d.events(userSaid("go"), call("r1", "1", "shell"), ask)
			d.armDialog()
			for _, r := range text {
				d.typeText(string(r))
				d.advance(gap)
			}
			d.advance(time.Minute)
			d.wantCommands()
			d.shows("› " + text)
			d.press("enter")
			d.wantCommands(event.Answer{ID: "1", Decision: event.Refuse, Note: text})
		}
	}
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(choiceAsk(false)...)
	d.armDialog()
	d.typeText("2 of them")
	d.advance(time.Minute)
	d.press("enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Answered, Note: "2 of them"})
}

// A sentence that begins with a digit and is typed into a question of the program, which
// takes no comment, goes into the draft.
func TestSentenceInAQuestionOfTheProgram(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	answered := -1
	d.m.question.dialog.Show(dialog.LocalQuestion{Title: "Undo?", Rows: []dialog.Row{{Digit: 1, Kind: dialog.Yes, Text: "Undo"}, {Digit: 2, Kind: dialog.No, Text: "Cancel"}},
		Give: func(row int, _ []event.HunkAnswer) tea.Cmd { answered = row; return nil }}, false)
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.armDialog()
	d.typeText("1. do this")
	d.advance(time.Minute)
	if answered >= 0 {
		t.Errorf("row %d was chosen", answered)
	}
	d.promptIs("1. do this")
}

// A digit answers after a short pause, and enter confirms it at once.
func TestDigitAnswersAfterAPause(t *testing.T) {
	for _, key := range []string{"", "enter"} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"))
		d.armDialog()
		d.typeText("1")
		d.shows("❯ 1  Yes", "1 answers in a moment")
		d.wantCommands()
		if key != "" {
			d.press(key)
		} else {
			d.advance(dialog.DigitPause)
		}
		d.wantCommands(event.Answer{ID: "1", Decision: event.Allow})
	}
}

// An enter that confirms a digit too late does not answer the next dialog.
func TestLateEnterAfterADigit(t *testing.T) {
	d := fourAsks(t)
	d.typeText("1")
	d.advance(dialog.DigitPause + 300*time.Millisecond)
	d.press("enter")
	d.advance(time.Second)
	d.wantCommands(event.Answer{ID: "0", Decision: event.Allow})
}

// A key that takes the digit back, such as esc, up or backspace, leaves the question open.
func TestDigitIsTakenBack(t *testing.T) {
	for _, key := range []string{"up", "down", "backspace", "pgdown", "?"} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"))
		d.armDialog()
		d.typeText("1")
		d.press(key)
		d.advance(time.Minute)
		d.wantCommands()
	}
}
