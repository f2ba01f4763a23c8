package dialog

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// form shows the first question and turns keys, clicks and pastes into its answer. It
// knows no other question: the Dialog resets it for each, and removes the question that
// it has answered. Its keys are fixed: arrows and enter or digits answer, and any other
// text is a comment.
type form struct {
	keys  keys.Map
	st    *ink.Styles
	short func(dir string) string // shortens a directory for the screen

	screen    *Screen
	attention *attention // of the Dialog

	question question
	comment  comment
	rowsAt   int // the line of the dialog where the rows of an approval begin

	typing bool   // the user is typing a sentence into the draft, where text continues
	lead   string // the keys that just moved the marker; text that follows starts with them
	hint   string // why the last key did nothing; shown until the next key
	full   bool   // the question is shown full screen
}

// otherMode returns the mode that the mode key sets: auto if it would allow the call, and then
// ask again. It is empty if the key sets none.
func (f *form) otherMode() event.Mode {
	if f.question.ask.Auto && f.screen.Mode != nil {
		switch f.screen.Mode() {
		case event.ModeAsk:
			return event.ModeAuto
		case event.ModeAuto:
			return event.ModeAsk
		}
	}
	return ""
}

// writes reports whether keys type into a comment or into the plan.
func (f *form) writes() bool {
	return f.comment.open || f.question.plan.open || f.question.reviewing && f.question.review.Writing()
}

// escRejects reports whether esc only rejects the first question, and does not interrupt
// the turn: it is a delegate's, and the others continue.
func (f *form) escRejects() bool { return f.question.ask.Agent != "" }

// kept returns the comment with pastes expanded: see Dialog.Comment.
func (f *form) kept() string {
	if f.comment.blank() || f.question.ask.Form != nil {
		return ""
	}
	return f.comment.text()
}

// lines draws the question in at most height lines and returns the cursor position in
// them. place is its position in the queue.
func (f *form) lines(place string, width, height int) ([]string, *tea.Cursor) {
	q := &f.question
	if q.plan.open {
		q.width, q.height, q.body.lines = width, height, nil
		lines, cursor := q.plan.lines(f.st, width, height-1)
		hints, _ := f.foot()
		return append(lines, hints...), cursor
	}
	if q.reviewing {
		return f.reviewLines(width, height)
	}
	note := ""
	if !f.comment.open && !f.comment.blank() {
		note = f.comment.text()
	}
	q.describe(place, note)
	q.resize(width, height)
	before, _ := f.foot()
	body, ended := q.visible(max(height-1-len(before), 0))
	if ended {
		f.attention.end.begin(f.attention.now())
	}
	out := append([]string{q.title()}, body...)
	foot, cursor := f.foot() // again: it depends on the visible lines
	f.rowsAt = len(out)
	if q.spaced() {
		f.rowsAt++
	}
	f.comment.line += len(out)
	if cursor != nil {
		cursor.Y += len(out)
	}
	return append(out, foot...), cursor
}

// foot draws the lines below the body: the rows of an approval, an open comment and
// the key hints.
func (f *form) foot() (lines []string, cursor *tea.Cursor) {
	q := &f.question
	if !q.plan.open && !q.chooses() && !(q.low && f.comment.open) {
		lines = q.approvalRows(func(row Row) bool {
			yes := row.Kind == Yes || row.Kind == Always
			return !f.attention.arming.ready || yes && (!q.readable() || q.plan.Problem() != "" || !f.attention.end.over(f.attention.now()))
		})
	}
	if f.comment.open {
		f.comment.line = len(lines)
		var typed []string
		typed, cursor = f.comment.lines(q.width)
		cursor.Y += len(lines)
		lines = append(lines, typed...)
	}
	return append(lines, f.hintLine()), cursor
}

// click handles a click on a cell of the question: see Dialog.Click.
func (f *form) click(x, y int) {
	if f.question.plan.open {
		f.question.plan.edit.PlaceCaret(x, max(y-1, 0))
		return
	}
	if f.question.reviewing {
		f.question.review.Click(x, y-1)
		return
	}
	q := &f.question
	if f.comment.open && (y >= f.comment.line || !q.typed()) {
		if y -= f.comment.line; y >= 0 {
			f.comment.edit.PlaceCaret(x, y)
		}
		return
	}
	i := q.rowAt(y, f.rowsAt)
	if i < 0 {
		return
	}
	f.lead, f.hint = "", ""
	if q.rows.All[i].Kind == Always {
		f.hint = "press 2 to choose this answer"
		return
	}
	q.rows.at, f.typing = i, false
	f.comment.open = f.comment.open && q.rows.All[i].Kind == Comment
	if q.rows.selects() {
		q.rows.toggle()
	}
}
