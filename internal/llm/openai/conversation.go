package openai

import (
	"reflect"

	"agent/internal/llm/wire"
)

// same reports whether m and o are written the same way.
func same(m, o *message) bool {
	a, ok := m.plain()
	b, both := o.plain()
	if ok && both {
		return a == b && m.Role == o.Role && m.ToolCallID == o.ToolCallID
	}
	return ok == both && reflect.DeepEqual(m, o)
}

// plain returns the text of a message that is nothing but text, as most are.
func (m *message) plain() (string, bool) {
	text, ok := m.Content.(string)
	return text, ok && m.ReasoningContent == nil && m.Reasoning == "" && m.ReasoningDetails == nil && m.ToolCalls == nil
}

// write appends m as JSON to b.
func write(b []byte, m *message) ([]byte, error) {
	text, ok := m.plain()
	if !ok {
		raw, err := wire.Marshal(m)
		return append(b, raw...), err
	}
	b = wire.AppendString(append(b, `{"role":`...), m.Role)
	b = wire.AppendString(append(b, `,"content":`...), text)
	if m.ToolCallID != "" {
		b = wire.AppendString(append(b, `,"tool_call_id":`...), m.ToolCallID)
	}
	return append(b, '}'), nil
}
