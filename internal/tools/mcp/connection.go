package mcp

import (
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/llm/phrase"
)

// connection is the state of the connection to a server. The lock of the server guards it.
type connection struct {
	state    State
	why      string             // as in Status
	session  *sdk.ClientSession // nil unless state is Ready
	wasReady bool               // it has been ready before
	ended    string             // how its program exited on its own; empty if it did not
	protocol string             // version; empty before it was ready
}

// opened begins a session.
func (c *connection) opened(session *sdk.ClientSession) {
	c.session, c.state, c.why, c.wasReady = session, Ready, "", true
	c.protocol = session.InitializeResult().ProtocolVersion
}

// drop ends the session if it is the current one; nil means any session. It returns the
// session to close; nil for none.
func (c *connection) drop(session *sdk.ClientSession) *sdk.ClientSession {
	old := c.session
	if old == nil || session != nil && session != old {
		return nil
	}
	c.session, c.state, c.why = nil, Starting, ""
	return old
}

// describe returns what the server said when the session began: whether it reports changes
// of its tools, and how to use them. Without a session both are empty.
func (c *connection) describe() (reports bool, instructions string) {
	if c.session == nil {
		return false, ""
	}
	r := c.session.InitializeResult()
	reports = r.Capabilities != nil && r.Capabilities.Tools != nil && r.Capabilities.Tools.ListChanged
	return reports, phrase.Clip(strings.ToValidUTF8(strings.TrimSpace(r.Instructions), "\uFFFD"), maxInstructions)
}
