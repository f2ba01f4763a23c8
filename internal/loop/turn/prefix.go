package turn

import (
	"cmp"
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// prefixModel is what the choice of a prefix depends on.
type prefixModel struct {
	name   string
	window int
	search bool // its provider's web search is offered
	// unlisted is set if the definitions of MCP tools are left out.
	unlisted bool
}

// prefixer keeps the prefix of the conversation up to date.
type prefixer struct {
	models Models
	build  func(m Model, before *event.Prefix) event.Prefix // as Turn.Prefix
	conv   *Conversation
	out    *reporter
}

// set sets the prefix of the requests to the current model. It emits the prefix if it
// replaces another one. A model switch, a new context window size, /web and a rejected
// schema can change it; otherwise it stays, so that providers can cache it.
func (p *prefixer) set() {
	c := p.conv
	m := c.Adapted(p.models.Current())
	if now := (prefixModel{m.Name, m.Context, m.WebSearch, m.Unlisted}); now != c.prefixFor {
		c.prefixFor = now
		next := p.build(m, c.Prefix)
		if old := c.Prefix; old != nil && old.Basis == next.Basis {
			return
		}
		next.Meta = p.out.meta()
		p.out.emit(&next)
		c.Prefix = &next
	}
}

// delegateTool is the name of the tool that starts delegates.
const delegateTool = "delegate"

// offeredName returns the name by which p offers a tool; empty if it does not.
func offeredName(p *event.Prefix, tool string) string {
	if p == nil {
		return ""
	}
	for _, t := range p.Tools {
		if cmp.Or(t.Tool, t.Name) == tool {
			return t.Name
		}
	}
	return ""
}

// renamed returns msgs with the calls under the names by which p offers the tools. It
// changes a copy.
func renamed(p *event.Prefix, msgs []llm.Message) []llm.Message {
	return rename(p, msgs, func(t llm.ToolSpec) (from, to string) { return t.Tool, t.Name })
}

// ownNames returns msgs with the calls under the tools' own names, which are stored.
// It changes a copy.
func ownNames(p *event.Prefix, msgs []llm.Message) []llm.Message {
	return rename(p, msgs, func(t llm.ToolSpec) (from, to string) { return t.Name, t.Tool })
}

// rename returns msgs with other names of the calls, or msgs itself if none has one. names
// returns the names of a tool that is offered under another name.
func rename(p *event.Prefix, msgs []llm.Message, names func(llm.ToolSpec) (from, to string)) []llm.Message {
	other := map[string]string{}
	for _, t := range slices.Backward(p.Tools) { // the first of equal names wins
		if from, to := names(t); t.Tool != "" {
			other[from] = to
		}
	}
	if len(other) == 0 {
		return msgs
	}
	copied := false
	for i := range msgs {
		name := other[msgs[i].Name]
		if msgs[i].Kind != llm.ToolCall || name == "" || name == msgs[i].Name {
			continue
		}
		if !copied {
			msgs, copied = slices.Clone(msgs), true
		}
		msgs[i].Name = name
	}
	return msgs
}
