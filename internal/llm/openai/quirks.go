package openai

import (
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// Quirks are the differences of a provider or model from the standard.
type Quirks struct {
	// MaxCompletionTokens sends the reply limit as max_completion_tokens,
	// because the provider rejects max_tokens.
	MaxCompletionTokens bool
	// KeepThinking sends thinking back.
	KeepThinking bool
	// PadThinking gives replies without thinking a blank one, because the
	// provider requires the field in every reply.
	PadThinking bool
	// Strict sends the schemas of tools and of the answer as strict if they
	// qualify.
	Strict bool
	// CacheMarks marks the prefixes of the request that the provider may cache.
	CacheMarks bool
	// CacheKey sends llm.Request.CacheKey.
	CacheKey bool
	// NoStreamOptions does not ask for token counts.
	NoStreamOptions bool
	// NoEffort leaves the reasoning effort out.
	NoEffort bool
	// Alternate puts a reply between tool results and a user message, because
	// the chat template requires user and assistant to alternate.
	Alternate bool
}

// Facts about a model that its server reveals by rejecting a request.
const (
	usesMaxTokens           = "max_tokens"
	usesMaxCompletionTokens = "max_completion_tokens"
	wantsThinking           = "thinking"
	rejectsThinking         = "no_thinking"
	rejectsStrict           = "no_strict"
	rejectsMarks            = "no_cache_control"
	rejectsKey              = "no_prompt_cache_key"
	rejectsStreamOptions    = "no_stream_options"
	rejectsEffort           = "no_reasoning_effort"
	wantsAlternation        = "alternating_roles"
)

// with returns q changed by facts. Unknown facts change nothing.
func (q Quirks) with(facts ...string) Quirks {
	for _, fact := range facts {
		switch fact {
		case usesMaxTokens, usesMaxCompletionTokens:
			q.MaxCompletionTokens = fact == usesMaxCompletionTokens
		case wantsThinking, rejectsThinking:
			q.KeepThinking = fact == wantsThinking
			q.PadThinking = q.KeepThinking
		case rejectsStrict:
			q.Strict = false
		case rejectsMarks:
			q.CacheMarks = false
		case rejectsKey:
			q.CacheKey = false
		case rejectsStreamOptions:
			q.NoStreamOptions = true
		case rejectsEffort:
			q.NoEffort = true
		case wantsAlternation:
			q.Alternate = true
		}
	}
	return q
}

// lesson returns the fact that e reveals about a request with q, or "" if
// another form of the request would not help.
func (q Quirks) lesson(e *llm.Error) string {
	text := strings.ToLower(e.Message)
	says := func(words string) bool { return e.Kind == llm.ErrInvalid && strings.Contains(text, words) }
	fact := ""
	switch {
	case says("alternat") && says("role"), says("'user' after role 'tool'"):
		fact = wantsAlternation
	case wire.Rejects(e, "max_completion_tokens") && q.MaxCompletionTokens:
		fact = usesMaxTokens
	case wire.Rejects(e, "max_tokens"):
		fact = usesMaxCompletionTokens
	case says("reasoning_content") && (says("missing") || says("must be passed") || says("is required")):
		fact = wantsThinking
	case wire.Rejects(e, "reasoning_effort"):
		fact = rejectsEffort
	case wire.Rejects(e, "reasoning"):
		fact = rejectsThinking
	case wire.Rejects(e, "cache_control"):
		fact = rejectsMarks
	case wire.Rejects(e, "prompt_cache_key"):
		fact = rejectsKey
	case wire.Rejects(e, "stream_options"):
		fact = rejectsStreamOptions
	case wire.Rejects(e, "strict"):
		fact = rejectsStrict
	}
	if q.with(fact) == q {
		return ""
	}
	return fact
}
