package export

import (
	"fmt"
	"html/template"
	"strings"

	"agent/internal/loop/event"
)

// proposal is a plan that no recorded call presented.
type proposal struct{ *event.PlanSet }

func (*proposal) isItem() {}

// PlanDecision describes the user's decision on a plan on one line: "Plan approved,
// permission mode auto".
func PlanDecision(p *event.PlanSet) string {
	text := "Plan presented"
	switch p.State {
	case event.PlanApproved:
		text = "Plan approved"
		if p.Edited {
			text += " after an edit by the user"
		}
		if p.Mode != "" {
			text += ", permission mode " + OneLine(event.Mode(p.Mode).Name(), maxWords)
		}
	case event.PlanRejected:
		text = "Plan rejected"
	}
	if p.Note != "" {
		text += ": “" + OneLine(p.Note, 4*MaxTitle) + "”"
	}
	return text
}

// proposal writes a plan: as a quote if it was not rejected, else collapsed.
func (m markdown) proposal(p *event.PlanSet) {
	fmt.Fprintf(m, "**%s**\n\n", literal(PlanDecision(p)))
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
func (h *page) proposalOf(p *event.PlanSet) *proposalView {
	if p == nil {
		return nil
	}
	return &proposalView{Decision: PlanDecision(p), Open: p.State != event.PlanRejected, Prose: h.prose.html(p.Text)}
}
