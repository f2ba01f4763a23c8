package plain

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// showDigit is the answer that shows the change.
const showDigit = 5

// hunksKey begins an answer that applies some hunks of a change.
const hunksKey = "h"

// hunksLines is the maximum length of a change whose hunks can be chosen.
const hunksLines = 100

// inlineLines is the maximum length of a change that is printed with its question.
const inlineLines = 20

// questions asks the user the questions of the dialog, and takes lines as answers.
type questions struct {
	*screen.Window
	*output
	dialog *dialog.Dialog
	send   func(*event.Answer)           // to the agent
	do     func(tea.Cmd)                 // runs a command in the background; set by run
	open   func(url string) tea.Cmd      // opens a page in the browser
	edit   func(id, plan string) tea.Cmd // opens a plan in the user's editor
	keep   func()                        // makes an edited plan the draft
	asked  time.Time                     // when the question was last printed
}

// ask prints a question and the rows that answer it.
func (q *questions) ask(ask event.Ask) {
	if !ask.Form.Follows() { // the user expects the next question of a form
		q.asked = q.Now()
	}
	switch {
	case q.dialog.Local() != nil:
		q.askLocal(q.dialog.Local())
		return
	case ask.Form != nil:
		q.askServed(ask)
		return
	case len(ask.Choices) > 0:
		q.askChoice(ask)
		return
	case ask.Plan != "":
		q.askPlan(ask)
		return
	}
	title := q.dialog.Text(ask)
	if len(ask.Diffs) == 1 {
		title += " (" + diff.Stat(ask.Diffs[0]) + ")"
	}
	q.paragraph("ask", title)
	for _, w := range dialog.WarningsOf(ask) {
		q.paragraph("", "warning: "+ink.Sanitize(w))
	}
	for _, t := range ask.Targets {
		switch {
		case t.Kind == event.CommandTarget:
			q.block("", strings.Join(ink.WrapExact(t.Value, lineWidth-2), "\n"))
		case t.Kind == event.MCPTarget:
			q.block("", strings.Join(ink.WrapExact(t.Input, lineWidth-2), "\n"))
		case t.Kind == event.HostTarget && len(ask.Targets) == 1:
			q.block("", strings.Join(ink.WrapExact(dialog.RequestOf(ask.Title), lineWidth-2), "\n"))
		}
	}
	if text := dialog.ReasonText(ask); text != "" {
		q.paragraph("", text)
	}
	if why := dialog.ReasonOf(ask); why != "" {
		q.paragraph("", ink.Sanitize(why))
	}
	if changesInline(ask) {
		q.changes(ask)
	}
	q.rows(ask)
}

// changesInline reports whether the changes of a question are printed with it.
func changesInline(ask event.Ask) bool { return changedLines(ask) <= inlineLines }

// changedLines returns the length of the changes of a question.
func changedLines(ask event.Ask) int {
	lines := 0
	for _, d := range ask.Diffs {
		lines += strings.Count(d.Unified, "\n")
	}
	return lines
}

// changes prints the complete changes of a question.
func (q *questions) changes(ask event.Ask) {
	for _, d := range ask.Diffs {
		q.block("", dialog.ExactLine(d.Path)+" "+diff.Stat(d))
		q.hunks(d.Unified)
	}
}

// rows prints the rows that answer a question.
func (q *questions) rows(ask event.Ask) {
	q.asked = q.Now()
	switch {
	case ask.Form != nil:
		served{q.output, ask}.rows()
		return
	case len(ask.Choices) > 0:
		q.choiceRows(ask)
		return
	}
	var rows []string
	for _, row := range dialog.RowsOf(ask).All {
		text := strconv.Itoa(row.Digit)
		if row.Kind == dialog.Comment {
			text += " TEXT"
		}
		rows = append(rows, text+" "+lowerFirst(dialog.ExactLine(row.Text)))
	}
	if ask.Plan != "" {
		rows = append(rows, strconv.Itoa(editDigit)+" edit in $EDITOR")
	}
	if len(ask.Diffs) > 0 && !changesInline(ask) {
		rows = append(rows, strconv.Itoa(showDigit)+" show the change")
	}
	if r := q.review(ask); r != nil && changedLines(ask) <= hunksLines {
		rows = append(rows, hunksKey+" choose hunks")
	}
	q.options(rows)
}

// lowerFirst returns text with its first letter in lower case.
func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// askChoice prints a question of the model.
func (q *questions) askChoice(ask event.Ask) {
	q.paragraph("ask", q.dialog.Text(ask))
	q.choiceRows(ask)
}

// choiceRows prints the rows that answer a question of the model.
func (q *questions) choiceRows(ask event.Ask) {
	for _, row := range dialog.RowsOf(ask).All {
		line := strconv.Itoa(row.Digit) + " "
		switch {
		case row.Kind == dialog.Comment:
			line += "TEXT something else: your answer"
		case row.Kind == dialog.No:
			line += "let the model decide"
		default:
			line += ink.SanitizeLine(row.Text)
		}
		if row.Explain != "" {
			line += ": " + ink.SanitizeLine(row.Explain)
		}
		q.paragraph("", line)
	}
	if ask.Many {
		q.print("  select one or more: numbers separated by spaces")
	}
}

// isNumber reports whether a line is a number.
func isNumber(line string) bool {
	_, err := strconv.Atoi(line)
	return err == nil
}

// yesOrNo returns the digit of the row for a yes or a no, 0 for other text.
func yesOrNo(line string) int {
	return map[string]int{"y": 1, "yes": 1, "n": 3, "no": 3}[strings.ToLower(line)]
}

// answer takes a line as the answer to the first open question. If it is not an
// answer, the rows are printed again.
func (q *questions) answer(line string) tea.Cmd {
	ask := q.dialog.First()
	line = strings.TrimSpace(line)
	switch {
	case q.dialog.Local() != nil:
		q.answerLocal(q.dialog.Local(), line)
	case ask.Form != nil:
		return q.answerServed(ask, line)
	case line == "": // it does not restart the pause before an answer
		asked := q.asked
		q.rows(ask)
		q.asked = asked
	case len(ask.Choices) > 0:
		q.answerChoice(ask, line)
	case ask.Plan != "" && line == strconv.Itoa(editDigit):
		return q.editPlan(ask)
	default:
		q.answerApproval(ask, line)
	}
	return nil
}

// answerApproval takes a line as the answer to a question about a tool call or
// the turn.
func (q *questions) answerApproval(ask event.Ask, line string) {
	first, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if first == hunksKey && len(ask.Diffs) > 0 {
		q.answerHunks(ask, rest)
		return
	}
	n, err := strconv.Atoi(first)
	if word := yesOrNo(line); word != 0 {
		n, err = word, nil
	}
	rows := dialog.RowsOf(ask)
	i := -1
	if err == nil {
		i = rows.Digit(n)
	}
	switch {
	case err == nil && n == showDigit && rest == "" && len(ask.Diffs) > 0:
		q.changes(ask)
		q.rows(ask)
	case i < 0 && n == 2 && err == nil && rest == "" && dialog.IsApproval(ask):
		q.again(ask, "this call cannot be always allowed")
	case i < 0, rest != "" && rows.All[i].Kind != dialog.Comment:
		q.again(ask, answerHint)
	case rows.All[i].Kind == dialog.Comment && rest == "":
		q.again(ask, "type the reason after the number, for example: "+first+" use an index instead")
	default:
		decision := map[dialog.Kind]event.Decision{dialog.Yes: event.Allow, dialog.Always: event.Always}[rows.All[i].Kind]
		if decision == "" {
			decision = event.Refuse
		}
		answer := event.Answer{Decision: decision, Note: rest, Mode: rows.All[i].Mode}
		if ask.Plan != "" && decision == event.Allow {
			if problem := q.dialog.Plan().Problem(); problem != "" {
				q.again(ask, lowerFirst(problem))
				return
			}
			answer.Text = q.dialog.Plan().Edited()
		}
		q.give(answer)
	}
}

// answerHint describes the answers to a question.
const answerHint = "answer with y, n or a number"

// again prints why a line is not an answer, and the rows.
func (q *questions) again(ask event.Ask, why string) {
	q.print("note: " + why)
	q.rows(ask)
}

// answerChoice takes a line as the answer to a question of the model: numbers of
// choices, or text.
func (q *questions) answerChoice(ask event.Ask, line string) {
	own, decide := len(ask.Choices)+1, len(ask.Choices)+2
	if first, rest, _ := strings.Cut(line, " "); first == strconv.Itoa(own) {
		if rest = strings.TrimSpace(rest); rest != "" {
			q.give(event.Answer{Decision: event.Answered, Note: rest})
			return
		}
		q.again(ask, "type the answer after the number, for example: "+first+" use both")
		return
	}
	chosen := numbers(strings.Fields(line))
	switch {
	case yesOrNo(line) != 0:
		q.again(ask, "answer with a number, or type your answer after "+strconv.Itoa(own))
	case chosen == nil:
		q.give(event.Answer{Decision: event.Answered, Note: line})
	case len(chosen) == 1 && (chosen[0] == decide || chosen[0] == 0):
		q.give(event.Answer{Decision: event.Refuse})
	default:
		q.answerNumbers(ask, chosen)
	}
}

// numbers parses words as numbers; nil if one is not a number.
func numbers(words []string) []int {
	var out []int
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// answerNumbers answers with the choices of these numbers.
func (q *questions) answerNumbers(ask event.Ask, numbers []int) {
	var chosen []int
	for _, n := range numbers {
		if n < 1 || n > len(ask.Choices) {
			q.again(ask, "there is no choice "+strconv.Itoa(n))
			return
		}
		if !slices.Contains(chosen, n-1) {
			chosen = append(chosen, n-1)
		}
	}
	if len(chosen) > 1 && !ask.Many {
		q.again(ask, "only one choice can be selected")
		return
	}
	q.give(event.Answer{Decision: event.Answered, Choices: chosen})
}

// give answers the first question and asks the next one.
func (q *questions) give(a event.Answer) {
	q.reply(a)
	if q.dialog.Waits() {
		q.ask(q.dialog.First())
	}
}

// reply answers the first question.
func (q *questions) reply(a event.Answer) {
	if o := q.dialog.Local(); o != nil { // the input has ended
		q.dialog.Withdraw(q.dialog.First().ID)
		q.do(o.Give(o.Cancel(), nil))
		return
	}
	a.ID = q.dialog.First().ID
	if a.Decision == event.Refuse { // do not lose an edited plan
		q.keep()
	}
	q.dialog.Withdraw(a.ID)
	q.send(&a)
}
