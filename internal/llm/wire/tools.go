package wire

import (
	"bytes"
	"slices"
	"sync"

	"agent/internal/llm"
)

// Tools remembers the encoded tools of the last requests: those of a session hardly change. It is
// safe for concurrent use. The zero value is ready.
type Tools struct {
	mu   sync.Mutex
	last []encodedTools // most recent first
}

type encodedTools struct {
	key   any
	specs []llm.ToolSpec
	text  []byte
}

// Encode returns the result of encode, or that of an earlier call with an equal key, which must be
// comparable, and the same specs. The caller must not change the result, nor what specs refer to.
func (t *Tools) Encode(key any, specs []llm.ToolSpec, encode func() ([]byte, error)) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.last {
		if e.key == key && slices.EqualFunc(e.specs, specs, sameTool) {
			return e.text, nil
		}
	}
	text, err := encode()
	if err != nil {
		return nil, err
	}
	t.last = slices.Insert(t.last[:min(len(t.last), keptLists-1)], 0, encodedTools{key, slices.Clone(specs), text})
	return text, nil
}

func sameTool(a, b llm.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && a.Tool == b.Tool && bytes.Equal(a.Schema, b.Schema) && bytes.Equal(a.Strict, b.Strict) &&
		(a.Freeform == b.Freeform || a.Freeform != nil && b.Freeform != nil && *a.Freeform == *b.Freeform)
}
