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

// Dialog holds the questions that wait for the user and shows the first one, in
// place of the editor. Its keys are fixed: arrows and enter or digits answer, and
// any other text is a comment.
type Dialog struct {
	Behind bool // a search has the focus until it is closed
	// IsCommand reports whether a text is a slash command, which no answer can run. Nil
	// for none.
	IsCommand func(text string) bool

	keys  keys.Map
	st    *ink.Styles
	short func(dir string) string // shortens a directory for the screen

	queue
	attention
	own      *Own // of the Ask with ownID
	question question
	comment  comment
	rowsAt   int // the line of the dialog where the rows of an approval begin

	typing bool   // the user is typing a sentence into the draft, where text continues
	lead   string // the keys that just moved the marker; text that follows starts with them
	hint   string // why the last key did nothing; shown until the next key
	full   bool   // the question is shown full screen
}

// New returns a dialog without questions. vi selects vi keys for the comment.
// short shortens a directory for the screen and may be nil. now is the clock.
func New(keys keys.Map, st *ink.Styles, vi bool, short func(dir string) string, now func() time.Time) *Dialog {
	d := &Dialog{keys: keys, st: st, short: short, attention: attention{now: now}}
	if d.short == nil {
		d.short = func(dir string) string { return dir }
	}
	d.comment.make = func() *editor.Editor { return editor.New(d.keys, d.st, vi) }
	return d
}

// First returns the question that is shown, or the zero Ask if none waits.
func (d *Dialog) First() event.Ask { return d.question.ask }

// Text returns a question as one sentence that is safe to draw.
func (d *Dialog) Text(ask event.Ask) string { return QuestionText(ask, d.short) }

// Takes reports whether the dialog takes keys.
func (d *Dialog) Takes() bool { return d.Waits() && d.arming.ready }

// Full reports whether the question is shown full screen.
func (d *Dialog) Full() bool { return d.full || d.Plan().open || d.question.reviewing }

// Dismisses reports whether esc closes the comment, the editor of a plan, the review or
// the full view.
func (d *Dialog) Dismisses() bool { return d.writes() || d.full || d.question.reviewing }

// writes reports whether keys type into a comment or into the plan.
func (d *Dialog) writes() bool {
	return d.comment.open || d.Plan().open || d.question.reviewing && d.question.review.Writing()
}

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
	typing := d.writes()
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

// escRejects reports whether esc only rejects the first question, and does not interrupt
// the turn: it is a delegate's, and the others continue.
func (d *Dialog) escRejects() bool { return d.question.ask.Agent != "" }

// reset shows the first question.
func (d *Dialog) reset(typing bool) {
	d.lead, d.hint, d.full, d.typing, d.end, d.question = "", "", false, false, endPause{}, question{}
	d.comment.clear()
	if d.Waits() {
		d.question = newQuestion(d.asks[0], d.st, d.short, d.comment.make)
		d.arming.appear(d.now(), routine(d.asks[0]))
		if d.question.own = d.ownFor(d.asks[0]); d.question.own != nil {
			d.openOwn(typing)
		}
		if typing {
			d.DraftTyped(true)
		}
	}
}

// Restyle sets the styles of the dialog.
func (d *Dialog) Restyle(st *ink.Styles) {
	d.st, d.question.st, d.question.body.lines = st, st, nil
	for _, e := range []*editor.Editor{d.comment.edit, d.Plan().edit} {
		if e != nil {
			e.Restyle(st)
		}
	}
	if d.question.review != nil {
		d.question.review.Restyle(st)
	}
}

// Resume opens the comment on the first question with text that was typed in an
// earlier run of the program.
func (d *Dialog) Resume(text string) {
	d.typing = false
	if d.question.rows.mark(Comment) {
		d.question.body.follows = true
		d.comment.begin().Restore(text)
	}
}

// Comment returns the comment on the first question with pastes expanded. It is
// empty if the comment is blank.
func (d *Dialog) Comment() string {
	if d.comment.blank() {
		return ""
	}
	return d.comment.text()
}

// Revision returns the current state of the comment and of the plan.
func (d *Dialog) Revision() Revision {
	p := d.Plan()
	r := Revision{comment: d.comment.edit, plan: p.edit, set: p.text, open: p.open}
	if r.comment != nil {
		r.commentText = r.comment.Revision()
	}
	if r.plan != nil {
		r.planText = r.plan.Revision()
	}
	return r
}

// Lines draws the first question in at most height lines and returns the cursor
// position in them.
func (d *Dialog) Lines(width, height int) ([]string, *tea.Cursor) {
	q := &d.question
	if q.plan.open {
		q.width, q.height, q.body.lines = width, height, nil
		lines, cursor := q.plan.lines(d.st, width, height-1)
		hints, _ := d.foot()
		return append(lines, hints...), cursor
	}
	if q.reviewing {
		return d.reviewLines(width, height)
	}
	note := ""
	if !d.comment.open {
		note = d.Comment()
	}
	q.describe(d.place(), note)
	q.resize(width, height)
	before, _ := d.foot()
	body, ended := q.visible(max(height-1-len(before), 0))
	if ended {
		d.end.begin(d.now())
	}
	out := append([]string{q.title()}, body...)
	foot, cursor := d.foot() // again: it depends on the visible lines
	d.rowsAt = len(out)
	if q.roomy() {
		d.rowsAt++
	}
	d.comment.line += len(out)
	if cursor != nil {
		cursor.Y += len(out)
	}
	return append(out, foot...), cursor
}

// foot draws the lines below the body: the rows of an approval, an open comment and
// the key hints.
func (d *Dialog) foot() (lines []string, cursor *tea.Cursor) {
	q := &d.question
	if !q.plan.open && !q.chooses() && !(q.low && d.comment.open) {
		lines = q.approvalRows(func(row Row) bool {
			yes := row.Kind == Yes || row.Kind == Always
			return !d.arming.ready || yes && (!q.readable() || q.plan.Problem() != "" || !d.end.over(d.now()))
		})
	}
	if d.comment.open {
		d.comment.line = len(lines)
		var typed []string
		typed, cursor = d.comment.lines(q.width)
		cursor.Y += len(lines)
		lines = append(lines, typed...)
	}
	return append(lines, d.hintLine()), cursor
}

// Scroll scrolls the question by that many lines, up if negative.
func (d *Dialog) Scroll(by int) {
	if d.Plan().open {
		d.Plan().edit.MoveRows(by)
		return
	}
	if d.question.reviewing {
		d.question.review.Scroll(by)
		return
	}
	d.question.body.roll(by)
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
	if d.Plan().open {
		d.Plan().edit.PlaceCaret(x, max(y-1, 0))
		return
	}
	if d.question.reviewing {
		d.question.review.Click(x, y-1)
		return
	}
	if d.comment.open {
		if y -= d.comment.line; y >= 0 {
			d.comment.edit.PlaceCaret(x, y)
		}
		return
	}
	q := &d.question
	i := q.rowAt(y, d.rowsAt)
	if i < 0 {
		return
	}
	d.lead, d.hint = "", ""
	if q.rows.All[i].Kind == Always {
		d.hint = "press 2 to choose this answer"
		return
	}
	q.rows.at, d.typing = i, false
	if q.rows.selects() {
		q.rows.toggle()
	}
}
