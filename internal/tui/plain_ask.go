package tui

import (
	"slices"
	"strconv"
	"strings"

	"agent/internal/loop"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
)

// plainChoice is one of the answers to a question about a tool call.
type plainChoice struct {
	text   string
	answer loop.Decision
	show   bool // it is none: the changes are shown
}

// ask tells of a question, whole, and of the numbers that answer it.
func (p *teller) ask(ask loop.Ask) {
	p.asked = p.m.now()
	if len(ask.Choices) > 0 {
		p.askChoice(ask)
		return
	}
	title := ink.SanitizeLine(ask.Title)
	if len(ask.Diffs) == 1 {
		title += " (" + diff.Stat(ask.Diffs[0]) + ")"
	}
	p.block("ask", title)
	for _, w := range ask.Warnings {
		p.block("", "careful: "+ink.Sanitize(w))
	}
	for _, t := range ask.Targets {
		whole := strings.Join(spell(t.Value, plainWidth), "\n")
		if t.Kind == "command" && !(whole == t.Value && strings.HasSuffix(title, whole)) {
			p.block("", whole)
		}
	}
	if ask.Why != "" {
		p.block("", "because "+ink.Sanitize(ask.Why))
	}
	var numbers []string
	for i, c := range plainChoices(ask) {
		numbers = append(numbers, strconv.Itoa(i+1)+" "+c.text)
	}
	p.print("  " + strings.Join(numbers, ", "))
	if !ask.AboutTurn() {
		p.print("  anything else refuses, and tells the model that")
	}
}

func (p *teller) askChoice(ask loop.Ask) {
	p.block("ask", ink.Sanitize(ask.Question))
	for i, c := range ask.Choices {
		line := "  " + strconv.Itoa(i+1) + " " + ink.SanitizeLine(c.Text)
		if c.Explain != "" {
			line += ": " + ink.SanitizeLine(c.Explain)
		}
		p.print(line)
	}
	p.print("  0 leaves it to the model, anything else is an answer in your own words")
	if ask.Many {
		p.print("  several numbers may be given, with spaces between them")
	}
}

// plainChoices are the answers to a question about a tool call or the turn.
func plainChoices(ask loop.Ask) []plainChoice {
	no := "refuse"
	if ask.AboutTurn() {
		no = "stop"
	}
	out := []plainChoice{{text: yesWord(ask), answer: loop.Allow}, {text: no, answer: loop.Refuse}}
	if len(ask.Diffs) > 0 {
		out = append(out, plainChoice{text: "show the change", show: true})
	}
	if ask.Scope != "" {
		out = append(out, plainChoice{text: "always: " + ink.SanitizeLine(ask.Scope), answer: loop.Always})
	}
	return out
}

func isNumber(line string) bool {
	_, err := strconv.Atoi(line)
	return err == nil
}

// answer takes a line as the answer to the first question that waits.
func (p *teller) answer(line string) {
	ask := p.m.dialog.asks[0]
	if line == "" {
		p.ask(ask)
		return
	}
	if len(ask.Choices) > 0 {
		p.answerChoice(ask, line)
		return
	}
	choices := plainChoices(ask)
	n, err := strconv.Atoi(line)
	switch {
	case err == nil && (n < 1 || n > len(choices)), err != nil && ask.AboutTurn():
		p.print("note: there is no answer " + ink.SanitizeLine(line))
		p.ask(ask)
	case err != nil:
		p.reply(loop.Answer{Decision: loop.Refuse, Note: line})
	case choices[n-1].show:
		for _, d := range ask.Diffs {
			p.block("", ink.SanitizeLine(d.Path)+" "+diff.Stat(d))
			p.block("", ink.Sanitize(d.Unified))
		}
		p.ask(ask)
	default:
		p.reply(loop.Answer{Decision: choices[n-1].answer})
	}
}

// answerChoice takes a line as the answer to a question of the model's own:
// numbers of its choices, or words.
func (p *teller) answerChoice(ask loop.Ask, line string) {
	var taken []int
	for _, word := range strings.Fields(line) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || n > len(ask.Choices) {
			p.reply(loop.Answer{Decision: loop.Answered, Note: line})
			return
		}
		if n > 0 && !slices.Contains(taken, n-1) {
			taken = append(taken, n-1)
		}
	}
	switch {
	case len(taken) == 0:
		p.reply(loop.Answer{Decision: loop.Refuse})
	case len(taken) > 1 && !ask.Many:
		p.print("note: only one of them may be taken")
		p.ask(ask)
	default:
		p.reply(loop.Answer{Decision: loop.Answered, Choices: taken})
	}
}

// reply answers the first question.
func (p *teller) reply(a loop.Answer) {
	a.ID = p.m.dialog.asks[0].ID
	p.m.dialog.withdraw(a.ID)
	p.m.feed.answered(a.ID)
	p.m.send(a)
	if p.m.dialog.waits() && !p.ended {
		p.ask(p.m.dialog.asks[0])
	}
}
