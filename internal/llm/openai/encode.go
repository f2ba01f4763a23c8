package openai

import (
	"encoding/json"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/strict"
	"agent/internal/llm/wire"
)

// encoder encodes the messages and the tools of requests.
type encoder struct {
	messages *wire.Encoder[message]
	tools    *wire.Tools
}

func newEncoder() encoder {
	return encoder{wire.NewEncoder(message.encode), new(wire.Tools)}
}

// message is a message of the library with the fields that it lacks.
type message struct {
	api.ChatCompletionMessage
	content string // JSON that replaces an empty content; empty for none
	more    fields
}

// encodeTools returns tools as JSON. If enforced is set, schemas that qualify are strict.
func encodeTools(specs []llm.ToolSpec, enforced bool) ([]byte, error) {
	var tools []api.Tool
	for _, t := range specs {
		schema, enforce := strict.Parameters(t, enforced)
		tools = append(tools, api.Tool{Type: api.ToolTypeFunction,
			Function: &api.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: schema, Strict: enforce}})
	}
	text, err := json.Marshal(tools)
	return unescape(text), err
}

// encode returns the message as JSON, with a cache mark if marked is set.
func (m message) encode(marked bool) ([]byte, error) {
	if marked {
		m = m.marked()
	}
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
