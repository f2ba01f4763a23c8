package dialog

import (
	"strings"

	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// hints returns the key hints for the current state, as many as fit.
func (f *form) hints(width int) string {
	q, interrupt, stop := &f.question, "esc interrupt", "esc reject and interrupt"
	if f.escRejects() {
		interrupt, stop = "esc reject", "esc reject"
	}
	no := "3 4" // digits of the rows that change nothing
	if f.question.local != nil {
		interrupt = "esc cancel"
	}
	if f.question.local != nil || q.ask.Form != nil && len(q.rows.All) > 0 {
		no = digit(q.rows.All[len(q.rows.All)-1].Digit)
	}
	switch {
	case f.hint != "":
		return f.hint
	case f.question.plan.open && f.attention.arming.ready && !f.searches():
		return joinFitting(width, finishKey+" finish", externalKey+" $EDITOR", "esc discard the edit")
	case q.reviewing && f.attention.arming.ready && !f.searches():
		return joinFitting(width, q.review.Hints()...)
	case f.attention.arming.ready && q.body.shown == 0 && !q.readable():
		return q.body.unread()
	case f.searches():
		return "the question waits until the search is closed"
	case !f.attention.arming.ready && f.attention.arming.next, f.attention.arming.ready && f.attention.held.ignores(f.attention.now()):
		return "new question: wait a moment, then press the key again"
	case !f.attention.arming.ready:
		return "text goes to your draft until you stop typing"
	case q.typed() && f.comment.open:
		return joinFitting(width, f.keys.Name(keys.Send)+" answer", "tab other answers", interrupt)
	case f.comment.open && q.chooses():
		return joinFitting(width, f.keys.Name(keys.Send)+" answer", "esc back")
	case f.comment.open:
		return joinFitting(width, f.keys.Name(keys.Send)+" reject and send", "esc back")
	case f.typing:
		return joinFitting(width, "text continues your draft", "↑↓ or "+q.rows.digits()+", then enter", interrupt)
	case q.typed() || q.asksValue() || q.chooses():
		return joinFitting(width, append(q.answerHints(), interrupt)...)
	}
	parts := []string{q.rows.hint(), q.rows.digits()}
	switch {
	case !q.readable():
		parts = []string{q.body.unread(), no}
	case !f.attention.end.over(f.attention.now()):
		parts = []string{"read the end first: you can approve in a moment", no}
	}
	switch {
	case f.full:
		stop = "esc close"
	case q.ask.AboutTurn(), q.ask.Form != nil:
		stop = interrupt
	}
	return joinFitting(width, append(append(parts, f.lookHints()...), stop)...)
}

// answerHints returns the key hints of a question that is answered with a value or a choice.
func (q *question) answerHints() []string {
	hints := []string{q.rows.hint(), q.rows.digits()}
	switch {
	case q.typed():
		return []string{q.rows.hint(), "type your answer"}
	case q.ask.Many:
		hints = []string{"space or digit select", "enter answer"}
	}
	if !q.asksValue() {
		hints = append(hints, "type your answer")
	}
	return hints
}

// searches reports whether a search has the focus until it is closed.
func (f *form) searches() bool { return f.screen.Searches != nil && f.screen.Searches() }

// hintLine draws the key hints.
func (f *form) hintLine() string {
	width := f.question.width
	return f.st.Dim.Render(ink.Truncate("  "+f.hints(width-ink.Gutter), width))
}

// lookHints returns the hints for the review, full view, the permission mode and the reason.
func (f *form) lookHints() (parts []string) {
	q := &f.question
	if q.ask.Plan != "" {
		parts = append(parts, editKey+" edit")
	}
	if q.hasHunks() {
		parts = append(parts, "tab hunks")
	}
	if q.body.cut() && !f.full {
		parts = append(parts, "ctrl+g full view")
	}
	if to, key := f.otherMode(), f.keys.Name(keys.Mode); to != "" && key != "" {
		parts = append(parts, key+" "+to.Name()+" mode")
	}
	if !q.ask.AboutTurn() && ReasonOf(q.ask) != "" {
		parts = append(parts, "? why")
	}
	return parts
}

// joinFitting joins hints. If they do not fit, it drops hints from the end but
// keeps the last one.
func joinFitting(width int, parts ...string) string {
	for len(parts) > 1 && lipgloss.Width(strings.Join(parts, " · ")) > width {
		parts = append(parts[:len(parts)-2:len(parts)-2], parts[len(parts)-1])
	}
	return strings.Join(parts, " · ")
}
