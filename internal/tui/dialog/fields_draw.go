package dialog

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/elicit"
	"agent/internal/tui/ink"
)

// maxLabel is how many columns the names of the fields take at most.
const maxLabel = 30

// FormWarning is shown with each form of an MCP server.
const FormWarning = "Your answers go to the server: do not enter passwords or keys."

// fieldLines draws a form in at most height lines and returns the cursor position in them.
// ended says that the user just scrolled to its end.
func (q *question) fieldLines(place string, width, height int) (out []string, cursor *tea.Cursor, ended bool) {
	q.width, q.height, q.place = width, height, place
	head, _ := q.headline()
	var body []string
	for _, l := range head[1:] {
		body = append(body, "  "+q.st.Bold.Render(l))
	}
	for _, l := range q.serverText(width - 4) {
		body = append(body, strings.TrimRight("    "+l, " "))
	}
	for _, l := range ink.Wrap(FormWarning, max(width-4, 1)) {
		body = append(body, "    "+q.st.Dim.Render(l))
	}
	body = append(body, "")
	rows, cursor := q.fields.draw(q.st, width, len(body))
	q.body.lines = append(body, rows...)
	q.body.resize(max(height-1, 0))
	if at := q.fields.at; q.body.follows && at >= 0 {
		q.body.follow(q.fields.starts[at], q.fields.starts[at+1])
		if line := q.fields.choiceLine; line >= 0 {
			q.body.follow(line, line+1)
		}
	}
	q.body.follows = false
	shown, ended := q.body.visible()
	out = append([]string{q.title()}, shown...)
	if q.body.cut() {
		out = append(out, q.st.Dim.Render(ink.Truncate("    "+q.below(width-4), width)))
	}
	if cursor != nil {
		if cursor.Y -= q.body.scroll; cursor.Y < 0 || cursor.Y >= len(shown) {
			cursor = nil
		} else {
			cursor.Y++
		}
	}
	return out, cursor, ended
}

// serverText draws the message of a server, marked as its text.
func (q *question) serverText(width int) []string {
	if q.ask.Form.Message == "" {
		return nil
	}
	out := []string{q.st.Dim.Render("The server says:")}
	for _, l := range ink.Wrap(ink.Sanitize(q.ask.Form.Message), max(width-2, 1)) {
		out = append(out, q.st.Dim.Render("│ ")+l)
	}
	return append(out, "")
}

// draw draws the rows, which begin at line first of the body, and returns the cursor
// position in the body.
func (f *fields) draw(st *ink.Styles, width, first int) (out []string, cursor *tea.Cursor) {
	label := 0
	for i := range f.all {
		label = max(label, lipgloss.Width(f.all[i].label()))
	}
	label = min(label, maxLabel, max(width/3, 1))
	f.starts, f.choiceLine = f.starts[:0], -1
	for i := range f.all {
		f.starts = append(f.starts, first+len(out))
		lines, choice, c := f.all[i].draw(st, i == f.at, label, width)
		if choice >= 0 {
			f.choiceLine = first + len(out) + choice
		}
		if c != nil {
			c.Y += first + len(out)
			cursor = c
		}
		out = append(out, lines...)
	}
	if len(f.all) > 0 {
		out = append(out, "")
	}
	for i, text := range []string{"Send to the server", "Decline"} {
		f.starts = append(f.starts, first+len(out))
		out = append(out, rowHead(st, f.sendRow()+i == f.at)+text)
	}
	f.starts = append(f.starts, first+len(out))
	return ink.TrimLines(out), cursor
}

func rowHead(st *ink.Styles, marked bool) string {
	if marked {
		return "  " + st.Cyan.Render(ink.MarkRow) + " "
	}
	return "    "
}

// label returns the label of a field, with a star if it is required.
func (e *entry) label() string {
	text := ink.SanitizeLine(e.Label())
	if e.Required {
		text += " *"
	}
	return text
}

// draw draws a field, and below it what the user needs to know while it is marked. choice is
// the last line of the choice at the marker, negative for none.
func (e *entry) draw(st *ink.Styles, marked bool, label, width int) (out []string, choice int, cursor *tea.Cursor) {
	choice = -1
	name := ink.Truncate(e.label(), label)
	head := rowHead(st, marked) + name + strings.Repeat(" ", max(label-lipgloss.Width(name), 0)+2)
	at := lipgloss.Width(head)
	if edit := e.edit; marked && e.typed() {
		edit.Resize(max(width-at, 1), 3)
		out, cursor = edit.Lines()
		for i, l := range out {
			if i > 0 {
				head = strings.Repeat(" ", at)
			}
			out[i] = head + l
		}
		cursor.X += at
	} else {
		out = append(out, head+"  "+ink.Truncate(e.shown(), max(width-at-2, 1)))
	}
	about := func(style lipgloss.Style, text string) {
		for _, l := range ink.Wrap(text, max(width-6, 1)) {
			out = append(out, "      "+style.Render(l))
		}
	}
	if marked && lipgloss.Width(e.label()) > label {
		about(st.Bold, e.label())
	}
	if marked && e.Description != "" {
		about(st.Dim, ink.SanitizeLine(e.Description))
	}
	if e.problem != "" {
		about(st.Red, ink.SanitizeLine(e.problem))
	} else if marked && e.wanted() != "" {
		about(st.Dim, ink.SanitizeLine(e.wanted()))
	}
	if marked && !e.typed() {
		lines, at := e.drawChoices(st, width)
		choice = len(out) + at
		out = append(out, lines...)
	}
	return out, choice, cursor
}

// wanted describes the value to enter, or how many choices to select; empty if the choices
// say enough.
func (e *entry) wanted() string {
	if !e.typed() && (e.Kind != elicit.Some || e.Min == nil && e.Max == nil) {
		return ""
	}
	return e.Wanted() + " (" + e.Need() + ")"
}

// shown returns the value in one line.
func (e *entry) shown() string {
	if !e.typed() {
		return ink.SanitizeLine(e.Show(e.value))
	}
	if e.edit == nil {
		return ""
	}
	return ink.SanitizeLine(e.edit.Shown())
}

// drawChoices draws what can be selected, with a digit for the first nine. at is the last
// line of the choice at the marker or, if only one can be selected, of the selected choice.
func (e *entry) drawChoices(st *ink.Styles, width int) (out []string, at int) {
	for i, c := range e.choices() {
		digit, box := " ", "( ) "
		if i < 9 {
			digit = strconv.Itoa(i + 1)
		}
		many, on := e.Kind == elicit.Some, e.selected(i)
		switch {
		case many && on:
			box = "[x] "
		case many:
			box = "[ ] "
		case on:
			box = "(x) "
		}
		mark := " "
		if many && i == e.at {
			mark = st.Cyan.Render(ink.MarkRow)
		}
		head := "      " + mark + " " + digit + " " + box
		for _, l := range ink.Wrap(ink.SanitizeLine(c.Label()), max(width-14, 1)) {
			out = append(out, head+l)
			head = strings.Repeat(" ", 14)
		}
		if many && i == e.at || !many && on {
			at = len(out) - 1
		}
	}
	return out, at
}

// hints returns the key hints for the marked row.
func (f *fields) hints(esc string) []string {
	e := f.marked()
	switch {
	case f.at < 0:
		return []string{"text continues your draft", "↑↓ fill in the form", esc}
	case e == nil:
		return []string{"↑↓ field", "enter confirm", esc}
	case e.typed():
		return []string{"↑↓ field", "enter next", esc}
	case e.Kind == elicit.Some:
		return []string{"space or digit select", "←→ choice", "enter next", "↑↓ field", esc}
	case e.Kind == elicit.YesNo:
		return []string{"↑↓ field", "←→, y or n select", "enter next", esc}
	}
	return []string{"↑↓ field", "←→ or digit select", "enter next", esc}
}

// rowAt returns the row in that line of the body, negative for none.
func (f *fields) rowAt(line int) int {
	for i := len(f.starts) - 2; i >= 0; i-- {
		if f.starts[i] <= line && line < f.starts[i+1] {
			return i
		}
	}
	return -1
}
