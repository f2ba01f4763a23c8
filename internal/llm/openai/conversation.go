package openai

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"agent/internal/llm/wire"
)

// maxKept is how much of a conversation is kept as it was written, in bytes.
const maxKept = 4 << 20

// conversation keeps how the last one was written: the next request nearly
// always begins with all of it. The zero value keeps nothing yet. It is safe for
// concurrent use.
type conversation struct {
	mu       sync.Mutex
	messages []message
	ends     []int  // of each in text
	text     []byte // of all, with a comma between two
}

// write returns messages as JSON with a comma between two. Nobody changes what
// was returned, nor may the caller.
func (c *conversation) write(messages []message) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for n < min(len(messages), len(c.messages)) && messages[n].same(&c.messages[n]) {
		n++
	}
	if n < len(c.messages) {
		c.keep(n)
	}
	size := 0
	for i := range messages[n:] {
		size += messages[n+i].size()
	}
	c.text = slices.Grow(c.text, size+size/8)
	for i := range messages[n:] {
		if len(c.text) > 0 {
			c.text = append(c.text, ',')
		}
		text, err := messages[n+i].append(c.text)
		if err != nil {
			c.keep(0)
			return nil, fmt.Errorf("write the request: %w", err)
		}
		c.text, c.ends = text, append(c.ends, len(text))
	}
	c.messages = messages
	text := slices.Clip(c.text)
	if cap(c.text) > maxKept {
		c.keep(0)
	}
	return text, nil
}

// keep forgets all but the first n messages. Their text is not written over: a
// request may still be sent from it.
func (c *conversation) keep(n int) {
	if c.messages, c.ends = c.messages[:n], c.ends[:n]; n == 0 {
		c.text = nil
		return
	}
	c.text = slices.Clip(c.text[:c.ends[n-1]])
}

// same reports whether m and o are written the same way.
func (m *message) same(o *message) bool {
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

// append appends m as JSON to b.
func (m *message) append(b []byte) ([]byte, error) {
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

// size is about what append takes, in bytes.
func (m *message) size() int {
	const rest = 80
	text, _ := m.Content.(string)
	return rest + len(text)
}
