package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"agent/internal/elicit"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// FormWarning is shown with each question of an MCP server about a value.
const FormWarning = "Your answers go to the server: do not enter passwords or keys."

// valueRows returns the rows of a question of an MCP server about a value.
func valueRows(ask event.Ask) (all []Row) {
	add := func(kind Kind, text string) { all = append(all, Row{Digit: len(all) + 1, Kind: kind, Text: text}) }
	for _, c := range ask.Choices {
		add(Choice, c.Text)
	}
	if ask.Form.Typed {
		add(Comment, commentRow(ask))
	}
	if ask.Form.Optional {
		add(Skip, "Skip this question")
	}
	add(No, "Decline")
	return all
}

// preselect marks the default of a question of an MCP server.
func (r *Rows) preselect(f *elicit.Form) {
	switch {
	case f == nil || len(f.Selected) == 0:
	case r.many:
		r.picked = slices.Clone(f.Selected)
	default:
		r.at = f.Selected[0]
	}
}

// asksValue reports whether the question is one of an MCP server about a value.
func (q *question) asksValue() bool { return q.ask.Form.AsksValue() }

// typed reports whether the user types the answer, and cannot select it.
func (q *question) typed() bool { return q.asksValue() && q.ask.Form.Typed }

// openValue prepares a question of an MCP server that was just shown. The user who types a
// draft has to choose the row of the answer first.
func (d *Dialog) openValue(typing bool) {
	f := d.form.question.ask.Form
	if f.Follows() && d.arming.next {
		d.arming.soon()
	}
	if d.form.question.typed() {
		d.form.comment.begin().Restore(cmp.Or(f.Last, f.Default))
		d.form.comment.open = !typing
	}
}

// mayAnswer reports whether the user has read enough to answer a question of an MCP server,
// and sets a hint if not.
func (f *form) mayAnswer() bool {
	if !f.question.readable() {
		f.hint = f.question.body.unread()
	}
	return f.question.readable() && f.attention.end.over(f.attention.now())
}

// sendValue answers a question of an MCP server with the comment.
func (f *form) sendValue() Result {
	text := f.comment.text()
	switch {
	case !f.mayAnswer():
		return Result{}
	case strings.TrimSpace(text) == "" && !f.question.ask.Form.Optional:
		f.hint = "a value is required"
		return Result{}
	}
	f.comment.clear()
	return f.give(event.Answer{Decision: event.Answered, Note: text})
}

// served draws a question of an MCP server.
type served struct {
	ask event.Ask
	st  *ink.Styles
}

// message draws the message of the server, marked as its text.
func (q served) message(width int) []string {
	if q.ask.Form.Message == "" {
		return nil
	}
	return append(q.quote("The server says:", q.ask.Form.Message, width), "")
}

// quote draws a text of the server below a heading.
func (q served) quote(heading, text string, width int) []string {
	out := []string{q.st.Dim.Render(heading)}
	for _, l := range ink.Wrap(ink.Sanitize(text), max(width-2, 1)) {
		out = append(out, q.st.Dim.Render("│ ")+l)
	}
	return out
}

// value draws what the user has to know to answer a question about a value, indented in a
// window of that width. It draws nothing for other questions.
func (q served) value(width int) []string {
	f := q.ask.Form
	if !f.AsksValue() {
		return nil
	}
	width = max(width-4, 1)
	line := func(style lipgloss.Style, text string) []string {
		return ink.RenderLines(style, ink.Wrap(ink.SanitizeLine(text), width))
	}
	var out []string
	if f.Problem != "" { // first, for a low window
		out = line(q.st.Red, f.Problem)
	}
	out = append(out, q.message(width)...)
	if q.ask.Question != "" {
		out = append(out, q.quote(PlaceText(f), q.ask.Question, width)...)
		out = append(out, line(q.st.Dim, f.Wanted)...)
	}
	out = append(out, line(q.st.Dim, FormWarning)...)
	out = append(out, "")
	for i, l := range out {
		out[i] = strings.TrimRight("    "+l, " ")
	}
	return out
}

// PlaceText returns the number of a question of a form: "Question 1 of 3:".
func PlaceText(f *elicit.Form) string {
	return fmt.Sprintf("Question %d of %d:", f.At, f.Of)
}
