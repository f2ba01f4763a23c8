package anthropic

import (
	"bytes"
	"reflect"
	"slices"

	"agent/internal/llm/wire"
)

// write appends m as JSON to b.
func write(b []byte, m *wireMessage) ([]byte, error) {
	raw, err := wire.Marshal(m)
	return append(b, raw...), err
}

// same reports whether two messages are written the same way. To compare them by
// reflection takes as long as to write them.
func same(a, b *wireMessage) bool {
	return a.Role == b.Role && slices.EqualFunc(a.Content, b.Content, sameBlock)
}

func sameBlock(a, b wireBlock) bool {
	return a.Type == b.Type && a.Text == b.Text && sameText(a.Thinking, b.Thinking) &&
		a.Data == b.Data && a.Signature == b.Signature &&
		a.ID == b.ID && a.Name == b.Name && bytes.Equal(a.Input, b.Input) &&
		a.ToolUseID == b.ToolUseID && a.IsError == b.IsError && slices.EqualFunc(a.Content, b.Content, sameBlock) &&
		(a.Mark == nil) == (b.Mark == nil) && // there is one kind
		(a.Source == nil && b.Source == nil || reflect.DeepEqual(a.Source, b.Source))
}

func sameText(a, b *string) bool {
	return a == b || a != nil && b != nil && *a == *b
}
