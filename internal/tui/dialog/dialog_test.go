package dialog

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// ready returns a dialog with these questions that takes keys, and a function that
// advances its clock.
func ready(t *testing.T, asks ...event.Ask) (*Dialog, func(time.Duration)) {
	t.Helper()
	now := time.Unix(0, 0)
	d := New(keys.New(nil), ink.Look{}.Styles(), false, nil, func() time.Time { return now })
	for _, ask := range asks {
		d.Push(ask, false)
	}
	pass := func(in time.Duration) {
		now = now.Add(in)
		d.Lines(80, 24)
		d.Tick()
	}
	pass(0)
	if d.Takes() {
		t.Fatal("a new question takes keys")
	}
	pass(Quiet)
	if !d.Takes() {
		t.Fatal("a question takes no keys after the pause")
	}
	return d, pass
}

func typed(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }

// answerWith presses a digit and waits until it answers.
func answerWith(d *Dialog, r rune) Result { return d.Due(*d.Key(typed(r)).Deferred) }

func edit(id string) event.Ask { return event.Ask{ID: id, Title: "edit a.go", Effect: "write"} }

// A long diff is drawn only as far as the user scrolls.
func TestDiffIsDrawnInParts(t *testing.T) {
	ask := edit("1")
	ask.Diffs = []event.Diff{{Path: "a.go", Unified: "@@ -0,0 +1,9000 @@\n" + strings.Repeat("+line\n", 9000), Added: 9000}}
	d, pass := ready(t, ask)
	if n := len(d.form.question.body.lines); n > diffLines+10 {
		t.Errorf("%d lines are drawn before the user scrolls", n)
	}
	d.Key(tea.KeyPressMsg{Code: tea.KeyEnd})
	pass(0)
	d.Key(tea.KeyPressMsg{Code: tea.KeyPgDown})
	pass(0)
	if n := len(d.form.question.body.lines); n <= diffLines+10 || n > 4*diffLines+10 {
		t.Errorf("%d lines are drawn after the user scrolled to the end of %d", n, diffLines)
	}
}

// The target of a key depends on whether the question takes keys, follows an answer
// or appeared while the draft has text.
func TestWhereKeysGo(t *testing.T) {
	d, pass := ready(t, edit("1"), edit("2"))
	if r := d.Key(tea.KeyPressMsg{Code: 'p', Mod: tea.ModCtrl}); r.Pass != ToScreen {
		t.Errorf("a key without a meaning in the dialog: %+v", r)
	}
	if r := answerWith(d, '1'); r.Answer == nil || r.Answer.ID != "1" || r.Answer.Decision != event.Allow {
		t.Fatalf("1 answers with %+v", r)
	}
	if r := d.Key(typed('3')); r != (Result{}) {
		t.Errorf("a digit right after an answer: %+v", r)
	}
	if r := d.Key(typed('w')); r.Pass != ToDraft {
		t.Errorf("a letter right after an answer: %+v", r)
	}
	d.DraftTyped(true)
	pass(Quiet)
	if r := d.Key(typed('x')); r.Draft != "x" || d.Takes() {
		t.Errorf("text while the draft has text: %+v", r)
	}
	pass(Quiet)
	if r := d.Key(typed('3')); r != (Result{}) {
		t.Errorf("a digit while the draft has text: %+v", r)
	}
	if r := d.Key(tea.KeyPressMsg{Code: tea.KeyEnter}); r.Answer == nil || r.Answer.ID != "2" || r.Answer.Decision != event.Refuse {
		t.Errorf("enter after the digit: %+v", r)
	}
}

// A digit that is pressed again soon is deferred, and dropped if another key
// follows.
func TestDeferredKey(t *testing.T) {
	for _, follows := range []bool{false, true} {
		d, pass := ready(t, edit("1"), edit("2"))
		answerWith(d, '1')
		pass(2 * repeatGap)
		r := d.Key(typed('1'))
		if r.Deferred == nil || r.Deferred.After != DigitPause {
			t.Fatalf("the second digit: %+v", r)
		}
		if follows {
			d.Key(tea.KeyPressMsg{Code: tea.KeyDown})
		}
		pass(r.Deferred.After)
		if got := d.Due(*r.Deferred); (got.Answer == nil) != follows {
			t.Errorf("the deferred digit, another key follows %v: %+v", follows, got)
		}
	}
}

// A paste opens the comment only once the question takes keys, and never answers.
func TestPasteIsAComment(t *testing.T) {
	d, _ := ready(t, edit("1"))
	d.Hold()
	if d.Paste("1\n") || d.Comment() != "" {
		t.Error("a paste before the question takes keys is a comment")
	}
	d, _ = ready(t, edit("1"))
	if !d.Paste("1\n") || strings.TrimSpace(d.Comment()) != "1" || !d.Waits() {
		t.Errorf("the comment is %q", d.Comment())
	}
}
