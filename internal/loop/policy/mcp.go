package policy

import (
	"slices"

	"agent/internal/loop/event"
	"agent/internal/tools"
)

// callsMCP reports whether c calls a tool of an MCP server.
func callsMCP(c tools.Call) bool {
	return slices.ContainsFunc(c.Targets, func(t tools.Target) bool { return t.Kind == tools.MCP })
}

// DeniesServer reports whether the rule denies all tools of an MCP server, so that the
// server need not be started.
func (r Rule) DeniesServer(name string) bool {
	const unusable = "\x00" // no tool has this name: only * matches it
	return r.deniesTools() && r.matchesTool(mcpPrefix+name+"__") && r.matchesTool(mcpPrefix+name+"__"+unusable)
}

// resourceTool is the tool with which a model reads the resources of all MCP servers.
const resourceTool = "mcp_resource"

// DeniesResources reports whether the rule denies reading the resources of an MCP server.
// That includes the resources that the user mentions in a prompt.
func (r Rule) DeniesResources(server string) bool {
	return r.deniesTools() && (r.matchesTool(mcpPrefix+server+"__resources/read") || r.matchesTool(resourceTool))
}

func (r Rule) deniesTools() bool {
	return r.Action == Deny && (r.Kind == RuleMCP || r.Kind == RuleTool)
}

// judgeMCP judges a call of a tool of an MCP server, which can do anything: it runs outside
// the sandbox. What the server says about the tool does not count.
func (p *Policy) judgeMCP(c tools.Call, f Facts, found ruleMatch) Verdict {
	const denied = "plan mode does not allow tools of MCP servers"
	at := slices.IndexFunc(p.grants, func(g Grant) bool { return g.includes(c.Targets[0], "") })
	rule := p.allows(c, f)
	switch {
	case p.Mode == event.ModePlan:
		return Verdict{Refuse: true, Why: denied, Rule: denied, Decider: p.row("tools of MCP servers are denied")}
	case found.ask != nil:
		return found.ask.verdict()
	case p.Mode == event.ModeAll:
		return p.runs("tools of MCP servers need no approval")
	case rule != nil:
		return Verdict{Decider: rule.decider(), ByRule: true}
	case at >= 0:
		return Verdict{Decider: p.grants[at].decider(f)}
	}
	v := p.asks("tools of MCP servers need approval")
	v.Offer = Grant{Scope: Scope{Kind: tools.MCP, Value: c.Targets[0].Value}}
	return v
}
