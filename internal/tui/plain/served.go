package plain

import (
	"cmp"
	"io"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/elicit"
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/ink"
)

// declineLine declines a question about a value.
const declineLine = "/decline"

// served is a question of an MCP server.
type served struct {
	*output
	ask event.Ask
}

// show prints the question without the rows that answer it. title is its first line.
func (s served) show(title string) {
	s.paragraph("ask", title)
	f := s.ask.Form
	if f.Message != "" {
		s.quote("the server says:", f.Message)
	}
	if !f.AsksValue() {
		s.block("", "host: "+dialog.ExactLine(f.Host()))
		if w := dialog.PageWarning(f); w != "" {
			s.paragraph("", "warning: "+w)
		}
		s.block("", strings.Join(ink.WrapExact(f.URL, width), "\n"))
		return
	}
	if s.ask.Question != "" {
		s.quote(lowerFirst(dialog.PlaceText(f)), s.ask.Question)
	}
	if f.Wanted != "" {
		s.paragraph("", ink.SanitizeLine(f.Wanted))
	}
	s.paragraph("", dialog.FormWarning)
	if f.Problem != "" {
		s.print("note: " + ink.SanitizeLine(f.Problem))
	}
}

// quote prints a text of a server, with a mark on each line, so that none imitates this
// program.
func (s served) quote(heading, text string) {
	s.block("", heading+"\n| "+strings.Join(ink.Wrap(ink.Sanitize(text), lineWidth-4), "\n| "))
}

// rows prints how to answer.
func (s served) rows() {
	f, text := s.ask.Form, "type the answer"
	if !f.AsksValue() {
		s.options([]string{"1 open the page in the browser", "2 I open it myself", "3 decline"})
		return
	}
	for i, c := range s.ask.Choices {
		text = "type the number of a choice"
		s.paragraph("", strconv.Itoa(i+1)+" "+ink.SanitizeLine(c.Text))
	}
	if s.ask.Many {
		text = "type the numbers of choices, as in 1 3"
	}
	text += ", or " + declineLine
	if empty, ok := s.empty(); ok {
		text += "; an empty line means " + cmp.Or(ink.SanitizeLine(s.shown(empty)), "no answer")
	}
	s.paragraph("", text)
}

// empty returns the answer that an empty line gives, and whether it is one.
func (s served) empty() (event.Answer, bool) {
	f := s.ask.Form
	return event.Answer{Decision: event.Answered, Choices: f.Selected, Note: f.Default}, f.Optional || f.Default != "" || f.Selected != nil
}

// shown returns an answer as the user reads it.
func (s served) shown(a event.Answer) string {
	var labels []string
	for _, i := range a.Choices {
		labels = append(labels, s.ask.Choices[i].Text)
	}
	return cmp.Or(a.Note, strings.Join(labels, ", "))
}

// readAnswer reads a line as the answer. It reports whether it is one, and whether the program has
// to open the page.
func (s served) readAnswer(line string) (a event.Answer, open, ok bool) {
	a.Decision = event.Answered
	no := yesOrNo(line) > 1
	chosen := numbers(strings.Fields(line))
	if word := yesOrNo(line); word != 0 {
		chosen = []int{min(word, 2)} // of Yes and No
	}
	switch f := s.ask.Form; {
	case !f.AsksValue():
		if no {
			chosen = []int{3}
		}
		if len(chosen) != 1 || chosen[0] < 1 || chosen[0] > 3 {
			return a, false, false
		}
		a.Decision = event.Allow
		if chosen[0] == 3 {
			a.Decision = event.Refuse
		}
		return a, chosen[0] == 1, true
	case line == declineLine, no && len(s.ask.Choices) == 1:
		return event.Answer{Decision: event.Refuse}, false, true
	case line == "":
		a, ok = s.empty()
		return a, false, ok
	case f.Typed:
		a.Note = line
		return a, false, true
	}
	for _, n := range chosen {
		if n < 1 || n > len(s.ask.Choices) {
			return a, false, false
		}
		a.Choices = append(a.Choices, n-1)
	}
	return a, false, chosen != nil
}

// askServed prints a question of an MCP server.
func (q *questions) askServed(ask event.Ask) {
	s := served{q.output, ask}
	s.show(q.dialog.Text(ask))
	s.rows()
}

// answerServed takes a line as the answer to a question of an MCP server.
func (q *questions) answerServed(ask event.Ask, line string) tea.Cmd {
	s := served{q.output, ask}
	a, open, ok := s.readAnswer(line)
	if !ok {
		if line != "" { // after a wrong answer, an answer needs a pause
			q.print("note: " + answerHint)
			q.asked = q.Now()
		}
		s.rows()
		return nil
	}
	q.give(a)
	if open {
		return q.open(ask.Form.URL)
	}
	return nil
}

// Answer asks the user a question of an MCP server outside a session. It prints to out and
// reads the lines of the user with line, which returns false at the end of the input. openPage
// is set if the program has to open the page of the question.
func Answer(out io.Writer, q elicit.Question, line func() (string, bool)) (answer elicit.Answer, openPage bool) {
	s := served{&output{w: out}, event.Ask{}.Of(q)}
	s.show(dialog.QuestionText(s.ask, nil))
	for s.rows(); ; s.rows() {
		s.request()
		text, more := line()
		if s.prompted = !more; !more {
			s.endLine()
			return elicit.Answer{Action: elicit.Cancel}, false
		}
		a, open, ok := s.readAnswer(strings.TrimSpace(text))
		if ok {
			return a.To(q), open
		}
		s.print("note: " + answerHint)
	}
}
