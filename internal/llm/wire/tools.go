package wire

import (
	"bytes"
	"slices"
	"sync"

	"agent/internal/llm"
)

// Tools keeps what a request says of the tools: it is the same in every request
// of a session, and to write it takes longer than all that is new. The zero
// value keeps nothing yet. It is safe for concurrent use.
type Tools struct {
	mu   sync.Mutex
	of   []llm.ToolSpec
	text []byte
}

// Text returns what write makes of specs, which depends on nothing else. It must
// not be changed.
func (t *Tools) Text(specs []llm.ToolSpec, write func([]llm.ToolSpec) ([]byte, error)) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.text != nil && slices.EqualFunc(t.of, specs, sameTool) {
		return t.text, nil
	}
	text, err := write(specs)
	if err == nil {
		t.of, t.text = slices.Clone(specs), text
	}
	return text, err
}

func sameTool(a, b llm.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
}
