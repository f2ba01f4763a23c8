// Package text adds tool calls to models without native tool calling: it
// describes the tools in the system prompt and parses calls from the text of
// replies. Use it only for such models, and for models that have shown that they do not
// use their native tool calls; the text of other models is never parsed as a call, except
// by Printed, whose result needs approval.
//
// # Tagged form
//
// A call is a JSON object between two tags, as many open models write it:
//
//	<tool_call>
//	{"name": "read", "arguments": {"path": "main.go"}}
//	</tool_call>
//
// The start tag is at the beginning of a line or directly after a call. The end
// tag is the next one outside a JSON string or at the beginning of a line; if
// there is none, the call ends with the reply. A reply may hold several calls
// and text around them. A line that begins with <tool_response> after a call
// ends the reply, because from there on the model invents results.
//
// # ReAct form
//
// A call is a line with the tool, directly followed by the arguments:
//
//	Thought: I have to look at the file.
//	Action: read
//	Action Input: {"path": "main.go"}
//
// Both words are at the beginning of their lines. The arguments are one JSON
// object, which may span lines. The first call ends the reply. Arguments that
// are not a JSON object extend to a line that begins with "Observation:" or to
// the end of the reply.
//
// # Both forms
//
// Text inside a fence of ``` or ~~~, closed or not, or after a <think> at the
// beginning of a line, is never a call. A call whose arguments are not a JSON
// object is not run; the model gets an error.
package text

import (
	"context"
	"iter"

	"agent/internal/llm"
)

// Form is a text format of tool calls.
type Form string

// The forms. Any other value means Tagged.
const (
	Tagged Form = "tool_call" // JSON between <tool_call> tags
	ReAct  Form = "react"     // Thought, Action, Action Input
)

// Wrap returns p with tool calls in the given form. Requests with calls,
// results or tools are sent to p as plain text, and calls in its text become
// CallDeltas. Native calls of p are kept.
func Wrap(p llm.Provider, form Form) llm.Provider { return &provider{inner: p, form: form} }

type provider struct {
	inner llm.Provider
	form  Form
}

// Stream implements llm.Provider.
func (p *provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	deltas := p.inner.Stream(ctx, NewRequest(req, p.form))
	if !calling(req) {
		return deltas
	}
	return Decode(deltas, p.form)
}

// calling reports whether the model may call tools.
func calling(req llm.Request) bool {
	return len(req.Tools) > 0 && req.ToolChoice.Mode != llm.ChoiceNone
}
