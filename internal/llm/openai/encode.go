package openai

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm/wire"
)

// encoder encodes the messages and the tools of requests.
type encoder struct {
	messages *wire.Encoder[message]
	tools    *wire.Encoder[api.Tool]
}

func newEncoder() encoder {
	return encoder{
		messages: wire.NewEncoder(message.encode, (*message).equals),
		tools:    wire.NewEncoder(encodeTool, sameTool),
	}
}

// message is a message of the library with the fields that it lacks.
type message struct {
	api.ChatCompletionMessage
	content string // JSON that replaces an empty content; empty for none
	more    fields
}

func encodeTool(t api.Tool) ([]byte, error) {
	text, err := json.Marshal(t)
	return unescape(text), err
}

// sameTool reports whether two tools of newRequest have the same encoding.
func sameTool(a, b *api.Tool) bool {
	f, g := a.Function, b.Function
	x, _ := f.Parameters.(json.RawMessage)
	y, _ := g.Parameters.(json.RawMessage)
	return f.Name == g.Name && f.Description == g.Description && f.Strict == g.Strict && x != nil && bytes.Equal(x, y)
}

// encode returns the message as JSON.
func (m message) encode() ([]byte, error) {
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
