package plain

import (
	"slices"
	"strconv"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
)

// showDigit is the answer that shows the change.
const showDigit = 5

// inlineLines is the maximum length of a change that is printed with its question.
const inlineLines = 20

// ask prints a question and the rows that answer it.
func (p *front) ask(ask event.Ask) {
	p.asked = p.Now()
	if len(ask.Choices) > 0 {
		p.askChoice(ask)
		return
	}
	title := p.dialog.Text(ask)
	if len(ask.Diffs) == 1 {
		title += " (" + diff.Stat(ask.Diffs[0]) + ")"
	}
	p.block("ask", title)
	for _, w := range dialog.WarningsOf(ask) {
		p.block("", "warning: "+ink.Sanitize(w))
	}
	for _, t := range ask.Targets {
		switch {
		case t.Kind == event.CommandTarget:
			p.block("", strings.Join(ink.WrapExact(t.Value, width), "\n"))
		case t.Kind == event.HostTarget && len(ask.Targets) == 1:
			p.block("", strings.Join(ink.WrapExact(dialog.RequestOf(ask.Title), width), "\n"))
		}
	}
	if why := dialog.WhyOf(ask); why != "" {
		p.block("", ink.Sanitize(why))
	}
	if changesInline(ask) {
		p.changes(ask)
	}
	p.rows(ask)
}

// changesInline reports whether the changes of a question are printed with it.
func changesInline(ask event.Ask) bool {
	lines := 0
	for _, d := range ask.Diffs {
		lines += strings.Count(d.Unified, "\n")
	}
	return lines <= inlineLines
}

// changes prints the complete changes of a question.
func (p *front) changes(ask event.Ask) {
	for _, d := range ask.Diffs {
		p.block("", dialog.ExactLine(d.Path)+" "+diff.Stat(d))
		p.block("", ink.Sanitize(d.Unified))
	}
}

// rows prints the rows that answer a question.
func (p *front) rows(ask event.Ask) {
	p.asked = p.Now()
	if len(ask.Choices) > 0 {
		p.choiceRows(ask)
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
	if len(ask.Diffs) > 0 && !changesInline(ask) {
		rows = append(rows, strconv.Itoa(showDigit)+" show the change")
	}
	p.print("  " + strings.Join(rows, "  "))
}

// lowerFirst returns text with its first letter in lower case.
func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// askChoice prints a question of the model.
func (p *front) askChoice(ask event.Ask) {
	p.block("ask", p.dialog.Text(ask))
	p.choiceRows(ask)
}

// choiceRows prints the rows that answer a question of the model.
func (p *front) choiceRows(ask event.Ask) {
	for _, row := range dialog.RowsOf(ask).All {
		line := "  " + strconv.Itoa(row.Digit) + " "
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
		p.print(line)
	}
	if ask.Many {
		p.print("  select one or more: numbers separated by spaces")
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
func (p *front) answer(line string) {
	ask := p.dialog.First()
	line = strings.TrimSpace(line)
	switch {
	case line == "":
		p.rows(ask)
	case len(ask.Choices) > 0:
		p.answerChoice(ask, line)
	default:
		p.answerApproval(ask, line)
	}
}

// answerApproval takes a line as the answer to a question about a tool call or
// the turn.
func (p *front) answerApproval(ask event.Ask, line string) {
	first, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
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
		p.changes(ask)
		p.rows(ask)
	case i < 0 && n == 2 && err == nil && rest == "" && dialog.IsApproval(ask):
		p.again(ask, "this call cannot be always allowed")
	case i < 0, rest != "" && rows.All[i].Kind != dialog.Comment:
		p.again(ask, answerHint)
	case rows.All[i].Kind == dialog.Comment && rest == "":
		p.again(ask, "type the reason after the number, for example: "+first+" use an index instead")
	default:
		decision := map[dialog.Kind]event.Decision{dialog.Yes: event.Allow, dialog.Always: event.Always}[rows.All[i].Kind]
		if decision == "" {
			decision = event.Refuse
		}
		p.reply(event.Answer{Decision: decision, Note: rest})
	}
}

// answerHint describes the answers to a question.
const answerHint = "answer with y, n or a number"

// again prints why a line is not an answer, and the rows.
func (p *front) again(ask event.Ask, why string) {
	p.print("note: " + why)
	p.rows(ask)
}

// answerChoice takes a line as the answer to a question of the model: numbers of
// choices, or text.
func (p *front) answerChoice(ask event.Ask, line string) {
	own, decide := len(ask.Choices)+1, len(ask.Choices)+2
	if first, rest, _ := strings.Cut(line, " "); first == strconv.Itoa(own) {
		if rest = strings.TrimSpace(rest); rest != "" {
			p.reply(event.Answer{Decision: event.Answered, Note: rest})
			return
		}
		p.again(ask, "type the answer after the number, for example: "+first+" use both")
		return
	}
	chosen := numbers(strings.Fields(line))
	switch {
	case yesOrNo(line) != 0:
		p.again(ask, "answer with a number, or type your answer after "+strconv.Itoa(own))
	case chosen == nil:
		p.reply(event.Answer{Decision: event.Answered, Note: line})
	case len(chosen) == 1 && (chosen[0] == decide || chosen[0] == 0):
		p.reply(event.Answer{Decision: event.Refuse})
	default:
		p.answerNumbers(ask, chosen)
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
func (p *front) answerNumbers(ask event.Ask, numbers []int) {
	var chosen []int
	for _, n := range numbers {
		if n < 1 || n > len(ask.Choices) {
			p.again(ask, "there is no choice "+strconv.Itoa(n))
			return
		}
		if !slices.Contains(chosen, n-1) {
			chosen = append(chosen, n-1)
		}
	}
	if len(chosen) > 1 && !ask.Many {
		p.again(ask, "only one choice can be selected")
		return
	}
	p.reply(event.Answer{Decision: event.Answered, Choices: chosen})
}

// reply answers the first question.
func (p *front) reply(a event.Answer) {
	a.ID = p.dialog.First().ID
	p.dialog.Withdraw(a.ID)
	p.Feed.Answered(a.ID)
	p.Send(a)
	if p.dialog.Waits() && !p.inputEnded {
		p.ask(p.dialog.First())
	}
}
