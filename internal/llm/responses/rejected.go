package responses

import (
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// Facts about a model that its server reveals by rejecting a request.
const (
	rejectsReasoning = "no_reasoning"
	rejectsSummary   = "no_reasoning_summary"
	rejectsKey       = "no_prompt_cache_key"
	rejectsCustom    = "no_custom_tools"
)

// with returns q changed by facts. Unknown facts change nothing.
func (q Quirks) with(facts ...string) Quirks {
	for _, fact := range facts {
		switch fact {
		case rejectsReasoning:
			q.Plain = true
		case rejectsSummary:
			q.NoSummary = true
		case rejectsKey:
			q.CacheKey = false
		case rejectsCustom:
			q.NoCustom = true
		}
	}
	return q
}

// lesson returns the fact that e reveals about a request with q: an optional
// parameter that the server rejects. It returns "" if e is about something else
// or the request does not have that parameter. Custom is set if the request has
// custom tools.
func (q Quirks) lesson(e *llm.Error, custom bool) string {
	text := strings.ToLower(e.Message)
	says := func(s string) bool { return e.Kind == llm.ErrInvalid && strings.Contains(text, s) }
	fact := ""
	switch {
	case custom && (says("custom") || says("grammar") || says("should be 'function'")):
		fact = rejectsCustom
	case says("reasoning summar"), says("unsupported parameter") && says("reasoning.summary"):
		fact = rejectsSummary
	case says("encrypted content is not supported"), says("unsupported parameter") && says("reasoning"):
		fact = rejectsReasoning
	case wire.Rejects(e, "prompt_cache_key"):
		fact = rejectsKey
	}
	if q.with(fact) == q {
		return ""
	}
	return fact
}

// cannotDecrypt reports whether e rejects earlier reasoning, which cannot be
// decrypted after the key or server changed.
func cannotDecrypt(e *llm.Error) bool {
	return e.Kind == llm.ErrInvalid && strings.Contains(strings.ToLower(e.Message), "encrypted content")
}

// hasReasoning reports whether req sends back earlier reasoning.
func hasReasoning(req llm.Request) bool {
	return slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return unpack(m, req.Model).Reasoning != nil })
}
