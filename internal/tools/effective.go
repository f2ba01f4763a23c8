package tools

import "encoding/json"

// Effective is the call of another tool that a call makes in effect: mcp_call calls a tool of
// an MCP server, and jobs runs a command like shell. Rules and hooks for that tool apply.
type Effective struct {
	Tool      string
	Arguments json.RawMessage // an object
	// Wrap returns the arguments of the outer call for other arguments of this one.
	Wrap func(args json.RawMessage) (json.RawMessage, error)
}

// Indirect returns t, a tool whose calls can be calls of other tools: see Call.Effective.
func Indirect(t Tool) Tool { return indirect{t} }

type indirect struct{ Tool }

// Unwrap implements Wrapper.
func (t indirect) Unwrap() Tool { return t.Tool }

// tool returns the name of the tool; empty if there is no other call.
func (e *Effective) tool() string {
	if e == nil {
		return ""
	}
	return e.Tool
}
