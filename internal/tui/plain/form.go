package plain

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/elicit"
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/ink"
)

// step is what the user does next with a question of an MCP server.
type step int

const (
	noStep   step = iota
	fill          // fill in the form, from the beginning
	send          // send the values
	decline       // decline the question
	open          // let the program open the page
	openSelf      // the user opens the page
)

// stepTexts are the steps as the user reads them.
var stepTexts = map[step]string{
	fill: "fill in the form", send: "send to the server", decline: "decline",
	open: "open the page in the browser", openSelf: "I open it myself",
}

// filling is a question of an MCP server, which the user answers line by line.
type filling struct {
	*output
	ask    event.Ask
	begun  bool           // the user fills in the form
	at     int            // the field that the next line is for; the number of fields at the end
	values map[string]any // of the fields
}

// show prints the question without the rows that answer it. title is its first line.
func (f *filling) show(title string) {
	f.paragraph("ask", title)
	form := f.ask.Form
	if form.Message != "" {
		lines := ink.Wrap(ink.Sanitize(form.Message), lineWidth-4) // each with a mark, so that none imitates this program
		f.block("", "the server says:\n| "+strings.Join(lines, "\n| "))
	}
	if form.URL != "" {
		f.block("", "host: "+dialog.ExactLine(form.Host()))
		if w := dialog.PageWarning(form); w != "" {
			f.paragraph("", "warning: "+w)
		}
		f.block("", strings.Join(ink.WrapExact(form.URL, width), "\n"))
	}
	for _, field := range form.Fields {
		f.paragraph("", fieldText(field))
	}
	if form.URL == "" {
		f.paragraph("", dialog.FormWarning)
	}
}

// fieldText describes a field in a line.
func fieldText(f elicit.Field) string {
	text := f.Label() + " (" + f.Wanted() + ", " + f.Need() + ")"
	if f.Description != "" {
		text += ": " + f.Description
	}
	return ink.SanitizeLine(text)
}

// takesValue reports whether the next line is the value of a field.
func (f *filling) takesValue() bool { return f.begun && f.at < len(f.ask.Form.Fields) }

// steps returns the steps that the user can choose, in the order of their numbers from 1.
// The first one means yes, and the last one no.
func (f *filling) steps() []step {
	switch {
	case f.ask.Form.URL != "":
		return []step{open, openSelf, decline}
	case len(f.ask.Form.Fields) == 0:
		return []step{send, decline}
	case f.begun:
		return []step{send, fill, decline}
	}
	return []step{fill, decline}
}

// rows prints the steps, or asks for the value of the next field.
func (f *filling) rows() {
	if f.takesValue() {
		f.field(f.ask.Form.Fields[f.at])
		return
	}
	var rows []string
	for i, s := range f.steps() {
		text := stepTexts[s]
		if s == fill && f.begun {
			text += " again"
		}
		rows = append(rows, strconv.Itoa(i+1)+" "+text)
	}
	f.options(rows)
}

// field asks for the value of a field.
func (f *filling) field(field elicit.Field) {
	for i, c := range field.Choices {
		f.print("    " + strconv.Itoa(i+1) + " " + ink.SanitizeLine(c.Label()))
	}
	text := "  " + ink.SanitizeLine(field.Label()) + ": " + ink.SanitizeLine(field.Wanted())
	if field.Kind == elicit.Some {
		text += ", as in 1 3"
	}
	switch {
	case field.Default != nil:
		text += "; an empty line means " + ink.SanitizeLine(field.Show(field.Default))
	case field.Required:
		text += "; required"
	default:
		text += "; an empty line means none"
	}
	f.print(text)
}

// take handles a line that the user typed. It returns the step that ends the question, or
// noStep if the question stays open: then it has printed what the user can enter next.
func (f *filling) take(line string) step {
	if f.takesValue() {
		f.takeValue(line)
		return noStep
	}
	steps := f.steps()
	n, _ := strconv.Atoi(line)
	switch yesOrNo(line) {
	case 1:
		n = 1
	case 3:
		n = len(steps)
	}
	switch {
	case n < 1 || n > len(steps):
		if line != "" {
			f.print("note: " + answerHint)
		}
	case steps[n-1] == fill:
		f.begun, f.at, f.values = true, 0, map[string]any{}
	default:
		return steps[n-1]
	}
	f.rows()
	return noStep
}

// takeValue takes a line as the value of the next field.
func (f *filling) takeValue(line string) {
	field := f.ask.Form.Fields[f.at]
	value, err := typedValue(field, line)
	if err != nil {
		f.print("note: " + ink.SanitizeLine(field.Label()+": "+err.Error()))
		f.field(field)
		return
	}
	if value != nil {
		f.values[field.Name] = value
	}
	if f.at++; !f.takesValue() {
		for _, field := range f.ask.Form.Fields {
			f.block("", ink.SanitizeLine(field.Label()+" = "+field.Show(f.values[field.Name])))
		}
	}
	f.rows()
}

// askForm prints a question of an MCP server.
func (q *questions) askForm(ask event.Ask) {
	if q.fill == nil || q.fill.ask.ID != ask.ID {
		q.fill = &filling{output: q.output, ask: ask}
	}
	q.fill.show(q.dialog.Text(ask))
	q.fill.rows()
}

// answerForm takes a line as the answer to a question of an MCP server.
func (q *questions) answerForm(ask event.Ask, line string) tea.Cmd {
	values := q.fill.takesValue()
	switch q.fill.take(line) {
	case noStep: // after a value or a wrong answer, an answer needs a pause
		if !q.fill.takesValue() && (values || line != "") {
			q.asked = q.Now()
		}
	case send:
		q.give(event.Answer{Decision: event.Answered, Values: q.fill.values})
	case decline:
		q.give(event.Answer{Decision: event.Refuse})
	case open:
		q.give(event.Answer{Decision: event.Allow})
		return q.open(ask.Form.URL)
	case openSelf:
		q.give(event.Answer{Decision: event.Allow})
	}
	return nil
}

// Answer asks the user a question of an MCP server outside a session. It prints to out and
// reads the lines of the user with line, which returns false at the end of the input. openPage
// is set if the program has to open the page of the form.
func Answer(out io.Writer, form elicit.Form, line func() (string, bool)) (reply elicit.Reply, openPage bool) {
	ask := event.Ask{Form: &form}
	f := &filling{output: &output{w: out}, ask: ask}
	f.show(dialog.QuestionText(ask, nil))
	for f.rows(); ; {
		f.request()
		text, ok := line()
		if f.prompted = !ok; !ok {
			f.endLine()
			return elicit.Reply{Action: elicit.Cancel}, false
		}
		switch f.take(strings.TrimSpace(text)) {
		case send:
			return elicit.Reply{Action: elicit.Accept, Values: f.values}, false
		case decline:
			return elicit.Reply{Action: elicit.Decline}, false
		case open:
			return elicit.Reply{Action: elicit.Accept}, true
		case openSelf:
			return elicit.Reply{Action: elicit.Accept}, false
		}
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
