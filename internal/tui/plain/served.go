package plain

import (
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

// declineLine declines a question whose answer is typed.
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
	f := s.ask.Form
	switch {
	case !f.AsksValue():
		s.options([]string{"1 open the page in the browser", "2 I open it myself", "3 decline"})
	case f.Typed:
		text := "  type the answer, or " + declineLine
		if _, empty, ok := s.empty(); ok {
			text += "; an empty line means " + empty
		}
		s.print(text)
	default:
		for _, row := range dialog.RowsOf(s.ask).All {
			s.paragraph("", strconv.Itoa(row.Digit)+" "+ink.SanitizeLine(row.Text))
		}
		if s.ask.Many {
			s.print("  select one or more: numbers separated by spaces")
		}
		if _, empty, ok := s.empty(); ok {
			s.print("  an empty line means " + empty)
		}
	}
}

// empty returns the answer that an empty line gives, and its meaning. It reports whether an
// empty line is an answer.
func (s served) empty() (a event.Answer, meaning string, ok bool) {
	f := s.ask.Form
	a.Decision, a.Choices = event.Answered, f.Selected
	var labels []string
	for _, i := range f.Selected {
		labels = append(labels, s.ask.Choices[i].Text)
	}
	switch meaning = ink.SanitizeLine(strings.Join(labels, ", ")); {
	case f.Default != "":
		a.Note, meaning = f.Default, ink.SanitizeLine(f.Default)
	case meaning == "" && f.Optional:
		meaning = "no answer"
	}
	return a, meaning, meaning != ""
}

// take takes a line as the answer. problem says why it is none, and open that the program
// has to open the page.
func (s served) take(line string) (a event.Answer, open bool, problem string) {
	f := s.ask.Form
	switch empty, _, ok := s.empty(); {
	case !f.AsksValue():
		n, err := strconv.Atoi(line)
		if n = max(n, yesOrNo(line)); n < 1 || n > 3 || err != nil && yesOrNo(line) == 0 {
			return a, false, answerHint
		}
		a.Decision = event.Allow
		if n == 3 {
			a.Decision = event.Refuse
		}
		return a, n == 1, ""
	case f.Typed && line == declineLine:
		return event.Answer{Decision: event.Refuse}, false, ""
	case line == "" && ok:
		return empty, false, ""
	case line == "":
		return a, false, "a value is required"
	case f.Typed:
		return event.Answer{Decision: event.Answered, Note: line}, false, ""
	}
	a, problem = s.takeNumbers(line)
	return a, false, problem
}

// takeNumbers takes a line as the numbers of rows, or as yes or no.
func (s served) takeNumbers(line string) (a event.Answer, problem string) {
	rows := dialog.RowsOf(s.ask).All
	chosen := numbers(strings.Fields(line))
	if word := yesOrNo(line); word != 0 {
		chosen = []int{s.wordRow(word == 1)}
	}
	if chosen == nil {
		return a, answerHint
	}
	a.Decision = event.Answered
	for _, n := range chosen {
		switch {
		case n < 1 || n > len(rows) || len(chosen) > 1 && rows[n-1].Kind != dialog.Choice:
			return a, "there is no choice " + strconv.Itoa(n)
		case rows[n-1].Kind == dialog.No:
			return event.Answer{Decision: event.Refuse}, ""
		case rows[n-1].Kind == dialog.Choice && !slices.Contains(a.Choices, n-1):
			a.Choices = append(a.Choices, n-1)
		}
	}
	if len(a.Choices) > 1 && !s.ask.Many {
		return a, "only one choice can be selected"
	}
	return a, ""
}

// wordRow returns the number of the row that yes or no means: the choice of that name, or
// else the first row or the last.
func (s served) wordRow(yes bool) int {
	word, other := "no", len(dialog.RowsOf(s.ask).All)
	if yes {
		word, other = "yes", 1
	}
	if i := slices.IndexFunc(s.ask.Choices, func(c event.Choice) bool { return strings.EqualFold(c.Text, word) }); i >= 0 {
		return i + 1
	}
	return other
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
	a, open, problem := s.take(line)
	if problem != "" {
		if line != "" { // after a wrong answer, an answer needs a pause
			q.print("note: " + problem)
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
		text, ok := line()
		if s.prompted = !ok; !ok {
			s.endLine()
			return elicit.Answer{Action: elicit.Cancel}, false
		}
		a, open, problem := s.take(strings.TrimSpace(text))
		if problem == "" {
			return a.To(q), open
		}
		s.print("note: " + problem)
	}
}
