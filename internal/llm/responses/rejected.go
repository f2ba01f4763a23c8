package responses

import (
	"slices"
	"strings"

	"agent/internal/llm"
)

// withoutRejected returns req and q without the optional parameter that e
// rejects: reasoning, its summary, tools with a plain-text argument, or
// earlier reasoning that cannot be decrypted after the key or server changed. It returns nil if e is about
// something else or nothing is left to remove.
func withoutRejected(req llm.Request, q Quirks, e *llm.Error) (*llm.Request, Quirks) {
	if e.Kind != llm.ErrInvalid {
		return nil, q
	}
	text := strings.ToLower(e.Message)
	says := func(s string) bool { return strings.Contains(text, s) }
	before := q
	switch {
	case freeform(req.Tools) != nil && (says("custom") || says("grammar") || says("should be 'function'")):
		q.NoCustom = true
	case says("reasoning summar"), says("unsupported parameter") && says("reasoning.summary"):
		q.NoSummary = true
	case says("encrypted content is not supported"), says("unsupported parameter") && says("reasoning"):
		q.Plain = true
	case says("encrypted content") && hasReasoning(req):
		req.Messages = slices.Clone(req.Messages)
		for i := range req.Messages {
			req.Messages[i].Opaque = nil
		}
		return &req, q
	}
	if q == before {
		return nil, q
	}
	return &req, q
}

// hasReasoning reports whether req sends back earlier reasoning.
func hasReasoning(req llm.Request) bool {
	return slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return unpack(m, req.Model).Reasoning != nil })
}
