package tui

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"agent/internal/loop"
	"agent/internal/tui/ink"
)

// ownWords is the last choice of every question.
const ownWords = "in your own words"

// choosing is how far the answer to a question with choices has come.
type choosing struct {
	at     int   // the marked choice; the one behind the last is ownWords
	taken  []int // where several may be
	rows   []int // the first line of each choice in the dialog's body, and the end of the last
	follow bool  // the marked one is brought into the window
}

// pressChoice takes a key while a question with choices waits.
func (d *dialog) pressChoice(k string) (answer *loop.Answer, taken bool) {
	ask, last := d.asks[0], len(d.asks[0].Choices)
	pick := slices.Index(d.keys.keys(actPick), k)
	switch {
	case pick >= 0 && pick <= last:
		d.mark(pick)
		if ask.Many && pick < last {
			d.toggle()
			return nil, true
		}
		return d.answerMarked(), true
	case d.keys.is(k, actToggle) && ask.Many && d.at < last:
		d.toggle()
	case d.keys.is(k, actAnswer):
		return d.answerMarked(), true
	case d.keys.is(k, actRefuse):
		return d.answer(loop.Refuse, ""), true
	case d.keys.is(k, actSay):
		d.speak(last)
	case strings.HasPrefix(k, "pg"):
		return nil, d.pressScroll(k)
	case d.keys.is(k, actUp) && d.at > 0:
		d.mark(d.at - 1)
	case d.keys.is(k, actDown) && d.at < last:
		d.mark(d.at + 1)
	case !d.keys.is(k, actUp) && !d.keys.is(k, actDown):
		return nil, false
	}
	return nil, true
}

func (d *dialog) mark(i int) {
	d.at, d.body, d.follow = i, nil, true
}

// toggle takes the marked choice, or gives it back.
func (d *dialog) toggle() {
	d.body = nil
	if i := slices.Index(d.taken, d.at); i >= 0 {
		d.taken = slices.Delete(d.taken, i, i+1)
		return
	}
	d.taken = append(d.taken, d.at)
	slices.Sort(d.taken)
}

// answerMarked answers with what was taken, else with the marked choice. Own
// words are still to be typed.
func (d *dialog) answerMarked() *loop.Answer {
	switch {
	case d.at == len(d.asks[0].Choices):
		d.speak(d.at)
		return nil
	case len(d.taken) == 0:
		d.taken = []int{d.at}
	}
	return d.answerChoice("")
}

// answerChoice answers with what was taken and with words. Without either it is
// no answer.
func (d *dialog) answerChoice(words string) *loop.Answer {
	if words == "" && len(d.taken) == 0 {
		return nil
	}
	return d.give(loop.Answer{Decision: loop.Answered, Choices: d.taken, Note: words})
}

// makeChoices draws what is left of the question, and the choices.
func (d *dialog) makeChoices(width int) []string {
	ask := d.asks[0]
	var out []string
	head, _ := d.headline()
	for _, l := range head[1:] {
		out = append(out, "  "+d.st.Bold.Render(l))
	}
	name := nameWidth(ask.Choices, width-d.headWidth())
	d.rows = nil
	for i, c := range append(slices.Clone(ask.Choices), loop.Choice{Text: ownWords}) {
		d.rows = append(d.rows, len(out))
		out = append(out, d.choiceLines(i, c, name, width)...)
	}
	d.rows = append(d.rows, len(out))
	return fit(out)
}

// nameWidth is the width of the column of names beside which every explanation
// has room in width; 0 if it has none.
func nameWidth(choices []loop.Choice, width int) int {
	name := 0
	for _, c := range choices {
		name = max(name, lipgloss.Width(ink.SanitizeLine(c.Text)))
	}
	for _, c := range choices {
		if name+2+lipgloss.Width(ink.SanitizeLine(c.Explain)) > width {
			return 0
		}
	}
	return name
}

// headWidth is what stands before a choice within the body's width: its number
// and whether it is taken.
func (d *dialog) headWidth() int {
	if d.asks[0].Many {
		return len("1 [x] ")
	}
	return len("1  ")
}

// choiceLines draws a choice: its explanation beside it, or below where name is
// 0.
func (d *dialog) choiceLines(i int, c loop.Choice, name, width int) []string {
	inner := max(width-d.headWidth(), 1)
	text, explain := ink.SanitizeLine(c.Text), ink.SanitizeLine(c.Explain)
	var lines []string
	if name > 0 && explain != "" {
		lines = []string{text + strings.Repeat(" ", name+2-lipgloss.Width(text)) + d.st.Dim.Render(explain)}
	} else {
		lines = append(ink.Wrap(text, inner), paint(d.st.Dim, wrapped(explain, inner))...)
	}
	head := d.number(i)
	for j, l := range lines {
		lines[j] = head + l
		head = strings.Repeat(" ", lipgloss.Width(head))
	}
	return lines
}

// number is what stands before a choice.
func (d *dialog) number(i int) string {
	mark, number := " ", " "
	if i == d.at {
		mark = d.st.Cyan.Render(markUser)
	}
	if keys := d.keys.keys(actPick); i < len(keys) {
		number = keys[i]
	}
	head := "  " + mark + " " + number + " "
	switch {
	case !d.asks[0].Many:
		return head + " "
	case i == len(d.asks[0].Choices):
		return head + "    "
	case slices.Contains(d.taken, i):
		return head + "[x] "
	}
	return head + "[ ] "
}

// wrapped is Wrap, but nothing for nothing.
func wrapped(s string, width int) []string {
	if s == "" {
		return nil
	}
	return ink.Wrap(s, width)
}

// followMark scrolls to the marked choice after it was marked.
func (d *dialog) followMark() {
	if !d.follow || d.rows == nil {
		return
	}
	d.follow = false
	first, end := d.rows[d.at], d.rows[d.at+1]
	d.scroll = min(max(d.scroll, end-d.shown), first)
}

// choiceHints are the keys that answer a question with choices.
func (d *dialog) choiceHints() []string {
	answers, picks := d.keys.name(actAnswer)+" answers", d.keys.name(actPick)
	if keys := d.keys.keys(actPick); len(keys) > 1 {
		picks += "-" + keys[min(len(d.asks[0].Choices), len(keys))-1]
	}
	hints := []string{answers, picks + " at once"}
	if d.asks[0].Many {
		hints = []string{d.keys.name(actToggle) + " or " + picks + " takes", answers}
	}
	return append(hints, d.keys.name(actSay)+" own words", d.keys.name(actRefuse)+" the model decides")
}

// saidWith is what the person said with a decision: the choices that they took,
// and their own words.
func saidWith(ev *loop.Decided) string {
	said := slices.Clone(ev.Chosen)
	if ev.Note != "" {
		said = append(said, ev.Note)
	}
	return strings.Join(said, "; ")
}
