package responses

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"agent/internal/llm/wire"
)

// encoder encodes the input items and the tools of requests, each of them once.
type encoder struct {
	items *wire.Encoder[any]
	tools *wire.Encoder[any]
}

func newEncoder() encoder {
	return encoder{items: wire.NewEncoder(wire.Marshal, same), tools: wire.NewEncoder(wire.Marshal, same)}
}

// body returns r as JSON.
func (e encoder) body(r request) ([]byte, error) {
	out, err := wire.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	out = out[:len(out)-1]
	if len(r.Tools) > 0 {
		if out, err = e.tools.Append(append(out, `,"tools":`...), r.Tools, len(r.Instructions)); err != nil {
			return nil, fmt.Errorf("write the tools: %w", err)
		}
	}
	if r.Instructions != "" {
		text, err := wire.Marshal(r.Instructions)
		if err != nil {
			return nil, fmt.Errorf("write the instructions: %w", err)
		}
		out = append(append(out, `,"instructions":`...), text...)
	}
	if out, err = e.items.Append(append(out, `,"input":`...), r.Input, 1); err != nil {
		return nil, fmt.Errorf("write the input: %w", err)
	}
	return append(out, '}'), nil
}

// same reports whether two items or tools surely have the same encoding. Texts that were sent
// before are in the same memory, so comparing them costs nothing.
func same(a, b *any) bool {
	switch x := (*a).(type) {
	case message:
		y, ok := (*b).(message)
		return ok && x.Type == y.Type && x.Role == y.Role && x.Phase == y.Phase && slices.EqualFunc(x.Content, y.Content, sameContent)
	case functionCall, customCall, providerTool:
		return *a == *b
	case callOutput:
		y, ok := (*b).(callOutput)
		return ok && x.Type == y.Type && x.CallID == y.CallID && sameOutput(x.Output, y.Output)
	case tool:
		y, ok := (*b).(tool)
		return ok && x.Type == y.Type && x.Name == y.Name && x.Description == y.Description && bytes.Equal(x.Parameters, y.Parameters) && x.Strict == y.Strict
	case json.RawMessage:
		y, ok := (*b).(json.RawMessage)
		return ok && bytes.Equal(x, y)
	}
	return reflect.DeepEqual(*a, *b)
}

func sameContent(a, b content) bool {
	return a.Type == b.Type && a.ImageURL == b.ImageURL && (a.Text == b.Text || a.Text != nil && b.Text != nil && *a.Text == *b.Text)
}

// sameOutput is same for the field Output of a callOutput.
func sameOutput(a, b any) bool {
	x, ok := a.([]content)
	y, both := b.([]content)
	if ok && both {
		return slices.EqualFunc(x, y, sameContent)
	}
	return !ok && !both && a == b
}
