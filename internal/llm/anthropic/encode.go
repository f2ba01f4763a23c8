package anthropic

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"agent/internal/llm/wire"
)

// encoder encodes the messages and the tools of requests, each of them once.
type encoder struct {
	messages *wire.Encoder[wireMessage]
	tools    *wire.Encoder[wireTool]
}

func newEncoder() encoder {
	return encoder{
		messages: wire.NewEncoder(func(m wireMessage) ([]byte, error) { return wire.Marshal(m) }, sameMessage),
		tools:    wire.NewEncoder(func(t wireTool) ([]byte, error) { return wire.Marshal(t) }, sameTool),
	}
}

// body returns p as JSON.
func (e encoder) body(p wireRequest) ([]byte, error) {
	rest, err := wire.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	out := fmt.Appendf(nil, `{"max_tokens":%d,"messages":`, p.MaxTokens)
	if out, err = e.messages.Append(out, p.Messages, len(rest)+1<<16); err != nil {
		return nil, fmt.Errorf("write the messages: %w", err)
	}
	out = append(append(out, ','), rest[1:len(rest)-1]...)
	if len(p.Tools) > 0 {
		if out, err = e.tools.Append(append(out, `,"tools":`...), p.Tools, 100); err != nil {
			return nil, fmt.Errorf("write the tools: %w", err)
		}
	}
	return append(out, `,"stream":true}`...), nil
}

// sameMessage reports whether two messages surely have the same encoding. Texts that were
// sent before are in the same memory, so comparing them costs nothing.
func sameMessage(a, b *wireMessage) bool {
	return a.Role == b.Role && slices.EqualFunc(a.Content, b.Content, sameBlock)
}

func sameBlock(a, b wireBlock) bool {
	return a.Type == b.Type && a.Text == b.Text && a.ID == b.ID && a.Name == b.Name && a.ToolUseID == b.ToolUseID && a.IsError == b.IsError &&
		a.Data == b.Data && a.Signature == b.Signature && sameTarget(a.Thinking, b.Thinking) && sameTarget(a.Mark, b.Mark) &&
		bytes.Equal(a.Input, b.Input) && (len(a.Citations)+len(b.Citations) == 0 || reflect.DeepEqual(a.Citations, b.Citations)) &&
		(a.Source == nil && b.Source == nil || reflect.DeepEqual(a.Source, b.Source)) && sameContent(a.Content, b.Content)
}

// sameTarget reports whether a and b are nil, or point to equal values.
func sameTarget[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// sameContent is sameMessage for the field Content of a block.
func sameContent(a, b any) bool {
	x, ok := a.([]wireBlock)
	y, both := b.([]wireBlock)
	if ok && both {
		return slices.EqualFunc(x, y, sameBlock)
	}
	return a == nil && b == nil || reflect.DeepEqual(a, b)
}

func sameTool(a, b *wireTool) bool {
	return bytes.Equal(a.Schema, b.Schema) && a.Name == b.Name && sameTarget(a.Mark, b.Mark) && a.Description == b.Description && a.Strict == b.Strict &&
		a.MaxUses == b.MaxUses && a.Type == b.Type
}
