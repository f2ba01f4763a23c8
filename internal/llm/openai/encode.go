package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm/wire"
)

// keptConversations is how many conversations an encoder remembers: those of a session and of
// its delegates.
const keptConversations = 4

// encoder encodes the messages and the tools of requests. It remembers the last ones, because a
// request begins with the messages of the one before and has the same tools: each of them is
// encoded once. The zero value is ready; it is safe for concurrent use.
type encoder struct {
	mu       sync.Mutex
	last     []*conversation // most recently used first
	tools    []api.Tool      // of the last request with tools
	toolText []byte          // of tools
}

// conversation is the messages of a request and how they were encoded.
type conversation struct {
	messages []message
	text     []byte // of all, with a comma after each
	ends     []int  // offset in text after each message
}

// message is a message of the library with the fields that it lacks.
type message struct {
	api.ChatCompletionMessage
	content string // JSON that replaces an empty content; empty for none
	more    fields
}

// append appends the messages to out, with commas between them. The result has room for more
// bytes.
func (e *encoder) append(out []byte, messages []message, more int) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, shared := e.nearest(messages)
	c.cut(shared)
	for i := shared; i < len(messages); i++ {
		if err := c.add(messages[i]); err != nil {
			return nil, fmt.Errorf("write message %d: %w", i, err)
		}
	}
	out = slices.Grow(out, len(c.text)+more+100)
	return append(out, c.text[:max(len(c.text)-1, 0)]...), nil
}

// appendTools appends the list of the tools to out.
func (e *encoder) appendTools(out []byte, tools []api.Tool) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.EqualFunc(e.tools, tools, sameTool) {
		text, err := json.Marshal(tools)
		if err != nil {
			return nil, fmt.Errorf("write the tools: %w", err)
		}
		e.tools, e.toolText = tools, unescape(text)
	}
	return append(out, e.toolText...), nil
}

// sameTool reports whether two tools of newRequest have the same encoding.
func sameTool(a, b api.Tool) bool {
	f, g := a.Function, b.Function
	x, _ := f.Parameters.(json.RawMessage)
	y, _ := g.Parameters.(json.RawMessage)
	return f.Name == g.Name && f.Description == g.Description && f.Strict == g.Strict && x != nil && bytes.Equal(x, y)
}

// nearest returns the conversation that begins with most of the messages, and how many these
// are; a new one if that is another conversation.
func (e *encoder) nearest(messages []message) (c *conversation, shared int) {
	at := -1
	for i, one := range e.last {
		if n := one.shared(messages); at < 0 || n > shared {
			at, shared = i, n
		}
	}
	// A conversation that shares only the system prompt is another one.
	if at < 0 || shared < len(e.last[at].messages)/2 {
		c, shared = new(conversation), 0
		e.last = e.last[:min(len(e.last), keptConversations-1)]
	} else {
		c = e.last[at]
		e.last = slices.Delete(e.last, at, at+1)
	}
	e.last = slices.Insert(e.last, 0, c)
	return c, shared
}

// shared returns how many of the messages c begins with.
func (c *conversation) shared(messages []message) int {
	n := 0
	for n < min(len(messages), len(c.messages)) && c.messages[n].equals(&messages[n]) {
		n++
	}
	return n
}

// cut drops all but the first n messages.
func (c *conversation) cut(n int) {
	end := 0
	if n > 0 {
		end = c.ends[n-1]
	}
	clear(c.messages[n:])
	c.messages, c.ends, c.text = c.messages[:n], c.ends[:n], c.text[:end]
}

// add encodes a message.
func (c *conversation) add(m message) error {
	text, err := m.encode()
	if err != nil {
		return err
	}
	c.text = append(append(c.text, text...), ',')
	c.messages, c.ends = append(c.messages, m), append(c.ends, len(c.text))
	return nil
}

// encode returns the message as JSON.
func (m *message) encode() ([]byte, error) {
	text, err := json.Marshal(m.ChatCompletionMessage)
	if err == nil && m.content != "" {
		text = append(append(append(text[:len(text)-1], `,"content":`...), m.content...), '}')
	}
	if err == nil && len(m.more) > 0 {
		var added []byte
		if added, err = wire.Marshal(m.more); err == nil {
			text = append(append(text[:len(text)-1], ','), added[1:]...)
		}
	}
	if err != nil {
		return nil, err
	}
	return unescape(text), nil
}

// equals reports whether two messages surely have the same encoding. Texts that were sent
// before are in the same memory, so comparing them costs nothing.
func (m *message) equals(o *message) bool {
	a, b := &m.ChatCompletionMessage, &o.ChatCompletionMessage
	return a.Role == b.Role && a.Content == b.Content && a.Refusal == b.Refusal && a.Name == b.Name && a.ReasoningContent == b.ReasoningContent &&
		a.ToolCallID == b.ToolCallID && a.FunctionCall == b.FunctionCall && m.content == o.content &&
		slices.Equal(a.ToolCalls, b.ToolCalls) &&
		(len(a.MultiContent)+len(b.MultiContent) == 0 || reflect.DeepEqual(a.MultiContent, b.MultiContent)) &&
		(len(m.more)+len(o.more) == 0 || reflect.DeepEqual(m.more, o.more))
}
