// Package text lets a model call tools that has no way of its own to do so: the
// tools are told in the system prompt, and calls are read from what it writes.
// It is meant for models and servers without tool calling alone. What a model
// with native calling writes must never be taken for a call.
//
// # The tagged form
//
// A call is a JSON object between two tags, as many open models print it:
//
//	<tool_call>
//	{"name": "read", "arguments": {"path": "main.go"}}
//	</tool_call>
//
// The first tag stands at the very beginning of a line or right behind a call.
// The second one is the next that stands outside a JSON string, or at the
// beginning of a line; where the reply ends without it, it is thought to be
// there. A reply may hold several calls and text around them. A line that begins
// with <tool_response> behind a call ends the reply: from there on the model
// invents what is not its to say.
//
// # The ReAct form
//
// A call is a line with the tool, and right below it the arguments:
//
//	Thought: I have to look at the file.
//	Action: read
//	Action Input: {"path": "main.go"}
//
// Both words stand at the very beginning of their lines. The arguments are one
// JSON object, of as many lines as it takes. The first call ends the reply,
// whatever else the model goes on to write; what is no JSON object goes to the
// end, or to a line that begins with "Observation:".
//
// # In both
//
// Nothing is a call inside a fence of ``` or ~~~, closed or not, nor in a
// <think> that begins a line. Arguments that are no JSON object make a call that
// is not run: the model is told what is wrong with them.
package text

import (
	"context"
	"iter"

	"agent/internal/llm"
)

// Form is a way to write calls as text.
type Form string

// The forms. Any other word stands for Tagged.
const (
	Tagged Form = "tool_call" // JSON between <tool_call> tags
	ReAct  Form = "react"     // Thought, Action, Action Input
)

// Wrap returns p with tools: requests that hold calls, results or tools are
// told to p as nothing but text, and what it writes in the given form comes
// back as calls. What p itself takes for a call stays one.
func Wrap(p llm.Provider, form Form) llm.Provider { return &provider{inner: p, form: form} }

type provider struct {
	inner llm.Provider
	form  Form
}

// Stream asks for a reply. See llm.Provider.
func (p *provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	deltas := p.inner.Stream(ctx, NewRequest(req, p.form))
	if !calling(req) {
		return deltas
	}
	return Decode(deltas, p.form)
}

// calling reports whether the model may call at all.
func calling(req llm.Request) bool {
	return len(req.Tools) > 0 && req.ToolChoice.Mode != llm.ChoiceNone
}
