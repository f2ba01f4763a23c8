package export

import (
	"fmt"
	"html/template"
	"strings"

	"agent/internal/loop/event"
)

// proposal is a plan that the model presented: part of a call, or an item of its own.
type proposal struct{ *event.PlanSet }

func (*proposal) isItem() {}

// PlanDecision describes the user's decision on a plan on one line: "Plan approved,
// permission mode edits".
func PlanDecision(p *event.PlanSet) string {
	text := "Plan presented"
	switch p.State {
	case event.PlanApproved:
		text = "Plan approved"
		if p.Edited {
			text += " after an edit by the user"
		}
		if p.Mode != "" {
			text += ", permission mode " + OneLine(p.Mode, maxWords)
		}
	case event.PlanRejected:
		text = "Plan rejected"
	}
	if p.Note != "" {
		text += ": “" + OneLine(p.Note, 4*MaxTitle) + "”"
	}
	return text
}

// presented takes a plan, which belongs to the call that presented it.
func (b *itemBuilder) presented(e *event.PlanSet) {
	if c := b.calls[e.ID]; c != nil {
		c.proposal = &proposal{e}
		return
	}
	b.add(&proposal{e})
}

// proposal writes a plan: as a quote if it was not rejected, else collapsed.
func (m markdown) proposal(p *proposal) {
	fmt.Fprintf(m, "**%s**\n\n", literal(PlanDecision(p.PlanSet)))
	text := strings.TrimSpace(p.Text)
	switch {
	case text == "":
	case p.State == event.PlanRejected:
		m.folded("Plan", sanitizeMarkdown(text, false))
	default:
		m.quote(sanitizeMarkdown(text, false))
	}
}

// proposalView is the data of a plan.
type proposalView struct {
	Decision string
	Open     bool
	Prose    template.HTML
}

// proposalOf returns the view of p; nil for nil.
func (h *page) proposalOf(p *proposal) *proposalView {
	if p == nil {
		return nil
	}
	return &proposalView{Decision: PlanDecision(p.PlanSet), Open: p.State != event.PlanRejected, Prose: h.prose.html(p.Text)}
}
