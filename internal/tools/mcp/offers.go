package mcp

import (
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// offers are what a server offers, as it was last listed, and which lists must be read
// again. The lock of the server guards them.
type offers struct {
	tools                    []Tool
	rejected                 []string // as in Status
	hasResources, hasPrompts bool     // by its capabilities
	resources                []Resource
	prompts                  []Prompt
	stale                    changes // what must be listed, because the server reported a change
	listing                  bool    // lists are being read again
}

// changes are lists of a server.
type changes struct{ tools, resources, prompts bool }

// hasLists returns the lists that a server has besides its tools, by its capabilities.
func hasLists(session *sdk.ClientSession) changes {
	c := session.InitializeResult().Capabilities
	return changes{resources: c != nil && c.Resources != nil, prompts: c != nil && c.Prompts != nil}
}

// begin replaces the offers by those of a new session, whose tools were listed. It returns
// the other lists, which are stale, so that nobody takes the empty ones for complete.
func (o *offers) begin(session *sdk.ClientSession, found []Tool, rejected []string) (stale changes) {
	has := hasLists(session)
	*o = offers{tools: found, rejected: rejected, hasResources: has.resources, hasPrompts: has.prompts, stale: has, listing: o.listing}
	return has
}

// changed adds lists that must be read. It reports whether the caller must begin to read
// them: then nobody else does.
func (o *offers) changed(c changes) (begin bool) {
	o.stale = changes{o.stale.tools || c.tools, o.stale.resources || c.resources, o.stale.prompts || c.prompts}
	begin = !o.listing
	o.listing = true
	return begin
}

// takeStale returns the lists that must be read. If there are none, or if they cannot be read
// now, nobody reads them any more.
func (o *offers) takeStale(readable bool) (c changes) {
	c, o.stale = o.stale, changes{}
	if c == (changes{}) || !readable {
		o.listing = false
		return changes{}
	}
	return c
}
