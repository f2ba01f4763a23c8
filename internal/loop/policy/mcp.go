package policy

import (
	"slices"

	"agent/internal/loop/event"
	"agent/internal/loop/policy/standing"
	"agent/internal/tools"
)

// callsMCP reports whether c calls a tool of an MCP server.
func callsMCP(c tools.Call) bool {
	return slices.ContainsFunc(c.Targets, func(t tools.Target) bool { return t.Kind == tools.MCP })
}

// judgeMCP judges a call of a tool of an MCP server, which can do anything: it runs outside
// the sandbox. What the server says about the tool does not count.
func (p *Policy) judgeMCP(c tools.Call, f Facts, found ruleMatch) Verdict {
	const denied = "plan mode does not allow tools of MCP servers"
	grant := p.Find(func(g standing.Grant) bool { return g.Includes(c.Targets[0], "") })
	by := p.allows(c, f)
	switch {
	case p.Mode == event.ModePlan:
		return Verdict{Refuse: true, Why: denied, Rule: denied, Decider: p.row("tools of MCP servers are denied")}
	case found.ask != nil:
		return ruled(found.ask)
	case p.Mode == event.ModeAll:
		return p.runs("tools of MCP servers need no approval")
	case by != nil:
		return Verdict{Decider: by.Decider(), ByRule: true}
	case grant != nil:
		return Verdict{Decider: f.decider(*grant)}
	}
	v := p.asks("tools of MCP servers need approval")
	v.Offer = standing.Grant{Scope: standing.Scope{Kind: tools.MCP, Value: c.Targets[0].Value}}
	return v
}
