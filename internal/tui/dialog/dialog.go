package dialog

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// Dialog holds the questions that wait for the user, in place of the editor. It decides
// when the first one takes keys, and its form shows and answers it.
type Dialog struct {
	Screen Screen

	queue
	attention
	form  form
	local *LocalQuestion // of the Ask with localID
}

// Screen is what the dialog uses of the rest of the screen. Its functions may be nil.
type Screen struct {
	Searches  func() bool            // reports whether a search has the focus until it is closed
	IsCommand func(text string) bool // reports whether a text is a slash command, which no answer can run
	Mode      func() event.Mode      // returns the permission mode; nil if no key sets it
}

// New returns a dialog without questions. vi selects vi keys for the comment.
// short shortens a directory for the screen and may be nil. now is the clock.
func New(keys keys.Map, st *ink.Styles, vi bool, short func(dir string) string, now func() time.Time) *Dialog {
	if short == nil {
		short = func(dir string) string { return dir }
	}
	d := &Dialog{attention: attention{now: now}}
	d.form = form{keys: keys, st: st, short: short, screen: &d.Screen, attention: &d.attention}
	d.form.comment.make = func() *editor.Editor { return editor.New(d.form.keys, d.form.st, vi) }
	return d
}

// Text returns a question as one sentence that is safe to draw.
func (d *Dialog) Text(ask event.Ask) string { return QuestionText(ask, d.form.short) }

// Takes reports whether the dialog takes keys.
func (d *Dialog) Takes() bool { return d.Waits() && d.arming.ready }

// Animates reports whether the dialog changes as time passes.
func (d *Dialog) Animates() bool {
	return d.Waits() && d.changing()
}

// Push adds a question. If the user is typing, it is shown without a marked row, so
// that enter cannot answer by accident.
func (d *Dialog) Push(ask event.Ask, typing bool) {
	if d.add(ask) {
		d.reset(typing)
	}
}

// Withdraw removes the question with that ID, which was not answered here. If it is
// the first one, the next question takes keys only after a long pause, because a key
// may be meant for the one that is gone.
func (d *Dialog) Withdraw(id string) {
	i := slices.IndexFunc(d.asks, func(a event.Ask) bool { return a.ID == id })
	if i < 0 {
		return
	}
	if i > 0 {
		d.asks = slices.Delete(d.asks, i, i+1)
		return
	}
	typing := d.form.writes()
	d.arming.typed(d.now())
	d.removeFirst(typing)
}

// removeFirst removes the first question, and shows the next one.
func (d *Dialog) removeFirst(typing bool) {
	d.next()
	d.reset(typing)
}

// Drop removes the questions for which gone reports true.
func (d *Dialog) Drop(gone func(event.Ask) bool) {
	if !d.Waits() {
		return
	}
	first := gone(d.asks[0])
	d.asks = slices.DeleteFunc(d.asks, gone)
	if first {
		d.arming.typed(d.now())
		d.reset(false)
	}
}

// reset shows the first question.
func (d *Dialog) reset(typing bool) {
	d.form.lead, d.form.hint, d.form.full, d.form.typing, d.end, d.form.question = "", "", false, false, endPause{}, question{}
	d.form.comment.clear()
	if d.Waits() {
		d.form.question = newQuestion(d.asks[0], d.form.st, d.form.short, d.form.comment.make)
		d.arming.appear(d.now(), routine(d.asks[0]))
		d.openValue(typing)
		if d.form.question.local = d.localFor(d.asks[0]); d.form.question.local != nil {
			d.form.openLocal()
			if !typing {
				d.arming.soon()
			}
		}
		if typing {
			d.DraftTyped(true)
		}
	}
}

// Lines draws the first question in at most height lines and returns the cursor
// position in them.
func (d *Dialog) Lines(width, height int) ([]string, *tea.Cursor) {
	return d.form.lines(d.place(), width, height)
}

// Click handles a click on a cell of the dialog once it takes keys. It moves the
// marker, selects one of multiple choices, or places the cursor in the comment. It
// never answers.
func (d *Dialog) Click(x, y int) {
	if !d.Takes() {
		return
	}
	d.took(d.asks[0])
	d.held.release()
	d.form.click(x, y)
}
