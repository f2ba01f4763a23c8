package dialog

import (
	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
)

// First returns the question that is shown, or the zero Ask if none waits.
func (d *Dialog) First() event.Ask { return d.form.question.ask }

// Full reports whether the question is shown full screen.
func (d *Dialog) Full() bool {
	return d.form.full || d.form.question.plan.open || d.form.question.reviewing
}

// Dismisses reports whether esc closes the comment, the editor of a plan, the review or
// the full view.
func (d *Dialog) Dismisses() bool {
	f := &d.form
	if f.question.typed() && f.comment.open {
		return f.comment.edit.Mode.HandlesEscape()
	}
	return f.writes() || f.full || f.question.reviewing
}

// Resume opens the comment on the first question with text that was typed in an
// earlier run of the program.
func (d *Dialog) Resume(text string) {
	d.form.typing = false
	if d.form.question.rows.mark(Comment) {
		d.form.question.body.follows = true
		d.form.comment.begin().Restore(text)
	}
}

// Comment returns the comment on the first question with pastes expanded. It is
// empty if the comment is blank, or an answer to an MCP server, which is kept nowhere else.
func (d *Dialog) Comment() string { return d.form.kept() }

// Revision returns the current state of the comment and of the plan.
func (d *Dialog) Revision() Revision {
	p := &d.form.question.plan
	r := Revision{comment: d.form.comment.edit, plan: p.edit, set: p.text, open: p.open}
	if r.comment != nil {
		r.commentText = r.comment.Revision()
	}
	if r.plan != nil {
		r.planText = r.plan.Revision()
	}
	return r
}

// Restyle sets the styles of the dialog.
func (d *Dialog) Restyle(st *ink.Styles) {
	d.form.st, d.form.question.st, d.form.question.body.lines = st, st, nil
	for _, e := range []*editor.Editor{d.form.comment.edit, d.form.question.plan.edit} {
		if e != nil {
			e.Restyle(st)
		}
	}
	if d.form.question.review != nil {
		d.form.question.review.Restyle(st)
	}
}

// Scroll scrolls the question by that many lines, up if negative.
func (d *Dialog) Scroll(by int) {
	if d.form.question.plan.open {
		d.form.question.plan.edit.MoveRows(by)
		return
	}
	if d.form.question.reviewing {
		d.form.question.review.Scroll(by)
		return
	}
	d.form.question.body.roll(by)
}
