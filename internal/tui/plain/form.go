package plain

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/elicit"
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/ink"
)

// The answers to a form.
const (
	fillDigit    = 1 // fill in the form, or send it
	againDigit   = 2 // fill it in again; for a page, the user opens it
	declineDigit = 3
)

// filling is a form that the user fills in, one field a line.
type filling struct {
	id     string // of the question
	at     int    // the field that the next line is for; the number of fields at the end
	values map[string]any
}

// askForm prints a question of an MCP server.
func (q *questions) askForm(ask event.Ask) {
	q.block("ask", q.dialog.Text(ask))
	f := ask.Form
	if f.Message != "" {
		lines := ink.Wrap(ink.Sanitize(f.Message), width-4) // each with a mark, so that none imitates this program
		q.block("", "the server says:\n| "+strings.Join(lines, "\n| "))
	}
	if f.URL != "" {
		q.block("", "host: "+dialog.ExactLine(f.Host()))
		if w := dialog.PageWarning(f); w != "" {
			q.block("", "warning: "+w)
		}
		q.block("", strings.Join(ink.WrapExact(f.URL, width), "\n"))
	}
	for _, field := range f.Fields {
		q.block("", fieldText(field))
	}
	if f.URL == "" {
		q.block("", dialog.FormWarning)
	}
	q.formRows(ask)
}

// fieldText describes a field in a line.
func fieldText(f elicit.Field) string {
	text := f.Label() + " (" + f.Wanted()
	if !f.Required {
		text += ", optional"
	}
	text += ")"
	if f.Description != "" {
		text += ": " + f.Description
	}
	return ink.SanitizeLine(text)
}

// formRows prints the rows that answer a question of an MCP server, or the next field.
func (q *questions) formRows(ask event.Ask) {
	fill := q.fill
	switch {
	case ask.Form.URL != "":
		q.print("  1 open the page in the browser  2 I open it myself  3 decline")
	case fill == nil || fill.id != ask.ID:
		q.print("  1 fill in the form  3 decline")
	case fill.at == len(ask.Form.Fields):
		q.print("  1 send to the server  2 fill in the form again  3 decline")
	default:
		q.field(ask.Form.Fields[fill.at])
		return // the user types one line after the other
	}
	q.asked = q.Now()
}

// field asks for the value of a field.
func (q *questions) field(f elicit.Field) {
	for i, c := range f.Choices {
		q.print("    " + strconv.Itoa(i+1) + " " + ink.SanitizeLine(c.Label()))
	}
	text := "  " + ink.SanitizeLine(f.Label()) + ": " + ink.SanitizeLine(f.Wanted())
	if f.Kind == elicit.Some {
		text += ", as in 1 3"
	}
	switch {
	case f.Default != nil:
		text += "; an empty line means " + ink.SanitizeLine(f.Show(f.Default))
	case !f.Required:
		text += "; an empty line means none"
	}
	q.print(text)
}

// answerForm takes a line as the answer to a question of an MCP server.
func (q *questions) answerForm(ask event.Ask, line string) tea.Cmd {
	page := ask.Form.URL
	begun := q.fill != nil && q.fill.id == ask.ID
	if page == "" && begun && q.fill.at < len(ask.Form.Fields) {
		q.takeValue(ask, line)
		return nil
	}
	n, _ := strconv.Atoi(line)
	if word := yesOrNo(line); word != 0 {
		n = word
	}
	switch {
	case n == declineDigit:
		q.give(event.Answer{Decision: event.Refuse})
	case page != "" && (n == fillDigit || n == againDigit):
		q.give(event.Answer{Decision: event.Allow})
		if n == fillDigit {
			return q.open(page)
		}
	case page == "" && n == fillDigit && begun:
		q.give(event.Answer{Decision: event.Answered, Values: q.fill.values})
	case page == "" && (n == fillDigit || n == againDigit && begun):
		q.fill = &filling{id: ask.ID, values: map[string]any{}}
		q.showFilled(ask)
		q.formRows(ask)
	default:
		if line != "" {
			q.print("note: " + answerHint)
		}
		q.formRows(ask)
	}
	return nil
}

// takeValue takes a line as the value of the next field.
func (q *questions) takeValue(ask event.Ask, line string) {
	field := ask.Form.Fields[q.fill.at]
	value, err := typedValue(field, line)
	if err != nil {
		q.print("note: " + ink.SanitizeLine(field.Label()+": "+err.Error()))
		q.field(field)
		return
	}
	if value != nil {
		q.fill.values[field.Name] = value
	}
	q.fill.at++
	q.showFilled(ask)
	q.formRows(ask)
}

// showFilled prints the values once all fields have one.
func (q *questions) showFilled(ask event.Ask) {
	if q.fill.at < len(ask.Form.Fields) {
		return
	}
	for _, f := range ask.Form.Fields {
		q.block("", ink.SanitizeLine(f.Label()+" = "+f.Show(q.fill.values[f.Name])))
	}
}

// typedValue returns the value that a line means; nil for none.
func typedValue(f elicit.Field, line string) (any, error) {
	switch {
	case line == "" && f.Default != nil:
		return f.Default, nil
	case line == "":
		return f.Parse("")
	case f.Kind == elicit.YesNo && yesOrNo(line) != 0:
		return yesOrNo(line) == 1, nil
	case f.Kind == elicit.YesNo:
		return nil, errors.New("answer with y or n")
	case f.Kind == elicit.One || f.Kind == elicit.Some:
		return chosenValue(f, line)
	}
	return f.Parse(line)
}

// chosenValue returns the values of the choices with these numbers.
func chosenValue(f elicit.Field, line string) (any, error) {
	var all []any
	for _, n := range numbers(strings.Fields(line)) {
		if n >= 1 && n <= len(f.Choices) && !slices.Contains(all, any(f.Choices[n-1].Value)) {
			all = append(all, f.Choices[n-1].Value)
		} else {
			return nil, errors.New("there is no choice " + strconv.Itoa(n) + ", or it is there twice")
		}
	}
	switch {
	case f.Kind == elicit.Some && len(all) > 0:
		return all, f.Check(all)
	case len(all) == 1:
		return all[0], nil
	}
	return nil, errors.New("answer with the number of a choice")
}
