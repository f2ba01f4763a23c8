package transcript

import (
	"cmp"
	"slices"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/markdown"
)

// Plan is an item for a plan of the model and the decision of the user. It is one line
// while collapsed. A tool call that presents a plan draws it instead of its output.
type Plan struct {
	*event.PlanSet
	expandable

	md     *markdown.Text
	styles *ink.Styles // the styles of md
}

func (p *Plan) class() class { return steps }

func (p *Plan) more() bool { return true }

// Draw implements Item.
func (p *Plan) Draw(c Canvas) []string {
	open := p.Open || c.Full
	left, middle := p.title(), p.words()
	if key := c.key; key != "" && !open && c.Width >= keyWidth {
		middle += " (" + key + ")"
	}
	line := p.mark(c) + " " + ink.Spread(left, c.Styles.Dim.Render(middle), c.Inner())
	out := []string{ink.Truncate(line, c.Width)}
	for _, l := range p.body(c, max(c.Width-4, 1), open) {
		out = append(out, strings.TrimRight("    "+l, " "))
	}
	return out
}

// mark returns the mark in the gutter.
func (p *Plan) mark(c Canvas) string {
	if p.State == event.PlanRejected {
		return c.Styles.Red.Render(ink.MarkFailed)
	}
	return c.Styles.Green.Render(ink.MarkDone)
}

// title returns the verb and the title of the plan.
func (p *Plan) title() string { return "plan  " + ink.SanitizeLine(p.Plan.Title) }

// words returns the decision in a few words: "approved · auto · edited".
func (p *Plan) words() string {
	words := []string{ink.SanitizeLine(string(p.State))}
	if p.State == event.PlanApproved {
		words = append(words, ink.SanitizeLine(event.Mode(cmp.Or(p.Mode, string(event.ModeAsk))).Name()))
	}
	if p.Edited {
		words = append(words, "edited")
	}
	return strings.Join(words, " · ")
}

// Line returns the decision and the title in one line.
func (p *Plan) Line() string {
	return p.words() + ": " + ink.SanitizeLine(p.Plan.Title)
}

// drawPlan draws the plan that the call presented in place of its result. The steps
// of an approved plan, which became the list of tasks, follow while it is collapsed.
func (t *Tool) drawPlan(c Canvas, open bool) []string {
	t.plan.Open = open
	out := t.plan.Draw(c)
	if !open {
		for _, l := range todoLines(c.Styles, t.todo, max(c.Width-4, 1), false) {
			out = append(out, strings.TrimRight("    "+l, " "))
		}
	}
	return out
}

// body draws the comment of the user and, if open, the plan.
func (p *Plan) body(c Canvas, width int, open bool) []string {
	var out []string
	if p.Note != "" {
		out = ink.RenderLines(c.Styles.Dim, ink.Wrap("you: "+ink.Sanitize(p.Note), width))
	}
	if !open {
		return out
	}
	text, more := ink.Head(p.Text, c.limit())
	if p.md == nil || p.styles != c.Styles || p.md.Text() != text {
		p.md, p.styles = markdown.New(c.Styles), c.Styles
		p.md.SetText(text)
		p.md.Finish()
	}
	return append(append(out, slices.Clone(p.md.Lines(width))...), c.omitted(more)...)
}
