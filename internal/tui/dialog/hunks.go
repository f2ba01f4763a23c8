package dialog

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
	"agent/internal/tui/review"
)

// openReview opens the review of the changes in the first question, if it has any.
func (f *form) openReview() {
	q := &f.question
	if !q.hasHunks() {
		return
	}
	if q.review == nil {
		q.review = review.New(q.ask.Diffs, review.Approval(), f.keys, f.st, f.comment.make)
	}
	f.full, f.typing, q.reviewing = false, false, true
}

// pressReview handles a key while the changes are reviewed. No key of the review answers.
func (f *form) pressReview(msg tea.KeyPressMsg) Result {
	switch f.question.review.Key(msg) {
	case review.Close:
		f.question.endReview()
		if f.question.local != nil && !f.question.divided() { // every hunk is kept
			return f.giveLocal(f.question.local.Cancel())
		}
		f.attention.end.begin(f.attention.now()) // the key may be pressed twice
	case review.Edit:
		return Result{EditHunk: true}
	case review.Pass:
		return Result{Pass: ToScreen}
	}
	return Result{}
}

// Hunk returns the hunk that the user wants to edit, in the question with that ID.
func (d *Dialog) Hunk() (h Hunk) {
	if q := &d.form.question; q.reviewing {
		h.ID = q.ask.ID
		h.Number, h.Path, h.Text, _ = q.review.Editable()
	}
	return h
}

// Hunk is a hunk to be edited.
type Hunk struct {
	ID     string // of the question
	Number int    // in the question
	Path   string
	Text   string // its new lines
}

// SetHunk replaces the text of a hunk by what the user wrote. It reports false if the
// question of h is no longer the first one.
func (d *Dialog) SetHunk(h Hunk, text string) bool {
	if q := &d.form.question; q.review == nil || q.ask.ID != h.ID {
		return false
	}
	d.form.question.review.SetText(h.Number, h.Text, text)
	d.form.question.applyReview()
	return true
}

// LineComments returns the comments on lines of the first question, as text.
func (d *Dialog) LineComments() string {
	if d.form.question.review == nil {
		return ""
	}
	return d.form.question.review.Typed()
}

// reviewLines draws the review below the question.
func (f *form) reviewLines(width, height int) ([]string, *tea.Cursor) {
	q := &f.question
	q.width = width
	lines, cursor := q.review.Lines(width, max(height-2, 1))
	if cursor != nil {
		cursor.Y++
	}
	title := ink.Truncate(ink.Spread(q.st.Yellow.Render(ink.MarkAsked)+" "+q.st.Bold.Render(QuestionText(q.ask, q.short)), q.review.Summary(), width), width)
	return append(append([]string{title}, lines...), f.hintLine()), cursor
}

// hasHunks reports whether the question is about changes that the user can divide.
func (q *question) hasHunks() bool {
	return (IsApproval(q.ask) || q.local != nil && q.local.Review) && len(q.ask.Diffs) > 0
}

// endReview returns to the rows.
func (q *question) endReview() {
	q.reviewing = false
	q.applyReview()
}

// applyReview shows the rows and the changes as the review left them. A divided change
// cannot be always allowed, and one without accepted hunks cannot be approved.
func (q *question) applyReview() {
	if q.local != nil {
		q.applyUndoing()
		return
	}
	q.body.lines, q.body.scroll, q.rows = nil, 0, RowsOf(q.ask)
	if len(WarningsOf(q.ask)) > 0 {
		q.rows.at = -1
	}
	if q.review.Answers() == nil {
		return
	}
	_, applied, _ := q.review.Count()
	q.rows.drop(Always)
	if applied == 0 {
		q.rows.drop(Yes)
	}
}

// divided reports whether the user changed the decision on a hunk or commented on one.
func (q *question) divided() bool { return q.review != nil && q.review.Answers() != nil }

// diffs returns the changes that Yes would make.
func (q *question) diffs() []event.Diff {
	switch {
	case q.divided() && q.local != nil:
		return q.review.Rejected()
	case q.divided():
		return q.review.Diffs()
	}
	return q.ask.Diffs
}

// size returns the size of the changes or of a long command, for the title line.
func (q *question) size() []string {
	if !q.divided() {
		return sizeOf(q.ask)
	}
	sum := event.Diff{}
	for _, d := range q.diffs() {
		sum.Added, sum.Removed = sum.Added+d.Added, sum.Removed+d.Removed
	}
	if q.local != nil { // the title says how many hunks
		return []string{diff.Stat(sum)}
	}
	return []string{q.review.Summary() + ", " + diff.Stat(sum)}
}

// yesRow returns the text of the row that approves what a review accepted.
func yesRow(r *review.Review) string {
	hunks, applied, edited := r.Count()
	text := "Yes, apply " + r.Summary()
	if applied == hunks && edited == 0 {
		text = "Yes"
	}
	return text + sends(r)
}

// sends says that an answer sends the comments on lines; empty if there are none.
func sends(r *review.Review) string {
	n := 0
	for _, a := range r.Comments() {
		n += len(a.Comments)
	}
	if n == 0 {
		return ""
	}
	return ", and send " + phrase.Count(n, "comment")
}

// lineComments draws the comments on lines.
func (q *question) lineComments(width int) []string {
	if q.review == nil {
		return nil
	}
	var out []string
	for _, a := range q.review.Comments() {
		for _, c := range a.Comments {
			out = append(out, ink.Wrap(fmt.Sprintf("comment on %s:%s: %s", ExactLine(a.Path), strconv.Itoa(c.Line), strings.TrimSpace(ink.Sanitize(c.Text))), width)...)
		}
	}
	return out
}

// hunks returns the decisions for an answer, or only the comments if it rejects.
func (q *question) hunks(approves bool) []event.HunkAnswer {
	switch {
	case q.review == nil:
		return nil
	case approves:
		return q.review.Answers()
	}
	return q.review.Comments()
}
