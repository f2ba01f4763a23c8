package responses

import (
	"slices"
	"strings"

	"agent/internal/llm"
)

// yielding returns req and q without the extra that e refuses: reasoning of a
// model that has none, a summary that the account may not see, what was thought
// before and can no longer be read because the key or the server is another one.
// It returns nil if e is about something else, or if nothing is left to yield.
func yielding(req llm.Request, q Quirks, e *llm.Error) (*llm.Request, Quirks) {
	if e.Kind != llm.ErrInvalid {
		return nil, q
	}
	text := strings.ToLower(e.Message)
	says := func(s string) bool { return strings.Contains(text, s) }
	was := q
	switch {
	case says("reasoning summar"), says("unsupported parameter") && says("reasoning.summary"):
		q.NoSummary = true
	case says("encrypted content is not supported"), says("unsupported parameter") && says("reasoning"):
		q.Plain = true
	case says("encrypted content") && thoughtBefore(req):
		req.Messages = slices.Clone(req.Messages)
		for i := range req.Messages {
			req.Messages[i].Opaque = nil
		}
		return &req, q
	}
	if q == was {
		return nil, q
	}
	return &req, q
}

// thoughtBefore reports whether reasoning goes with req.
func thoughtBefore(req llm.Request) bool {
	return slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return unpack(m, req.Model).Reasoning != nil })
}
