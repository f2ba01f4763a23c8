package wire

import (
	"slices"
	"strings"
	"sync"

	"agent/internal/llm"
)

// ServerLimits remembers facts about the models of one server that the server
// revealed by rejecting a request, such as "no_stream_options". Facts are listed
// in the order in which they were learned. It is safe for concurrent use.
type ServerLimits interface {
	Limits(model string) []string
	Learn(model, fact string)
}

// NewServerLimits returns a ServerLimits that lasts as long as the process.
func NewServerLimits() ServerLimits { return &learned{facts: map[string][]string{}} }

type learned struct {
	mu    sync.Mutex
	facts map[string][]string // by model
}

func (l *learned) Limits(model string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.facts[model])
}

func (l *learned) Learn(model, fact string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.facts[model] = append(slices.DeleteFunc(l.facts[model], func(f string) bool { return f == fact }), fact)
}

// Rejects reports whether e says that the server does not accept the field of a
// request.
func Rejects(e *llm.Error, field string) bool {
	text := strings.ToLower(e.Message)
	return e.Kind == llm.ErrInvalid && strings.Contains(text, field) && slices.ContainsFunc([]string{
		"unsupported", "not support", "unrecognized", "unknown", "unexpected", "not permitted", "not allowed", "forbidden", "extra ",
	}, func(words string) bool { return strings.Contains(text, words) })
}
