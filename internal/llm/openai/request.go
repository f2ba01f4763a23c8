package openai

import (
	"bytes"
	"encoding/json"
	"fmt"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/strict"
	"agent/internal/llm/wire"
)

// Quirks are the ways in which a provider differs from the rest.
type Quirks struct {
	// MaxCompletionTokens is set where the limit of a reply goes under
	// max_completion_tokens, as the older max_tokens is refused.
	MaxCompletionTokens bool
	// KeepThinking is set where the model wants its thinking handed back with
	// the calls it led to.
	KeepThinking bool
	// Strict is set where the model can be held to the schema of a tool or of
	// the answer, if the schema is one for that.
	Strict bool
}

// NewRequest returns the body of the request that asks for a stream.
//
// The types are the library's; the bytes are made here and not by it, because
// it drops empty content and unknown fields, and judges requests by the name of
// the model.
func NewRequest(req llm.Request, q Quirks) ([]byte, error) {
	parts, err := new(writer).request(req, q)
	return bytes.Join(parts, nil), err
}

// writer writes the requests of one provider. What one has in common with the
// last, the tools and the beginning of the conversation, is not written again.
// It is safe for concurrent use.
type writer struct {
	tools wire.Tools
	said  wire.Said[message]
}

// request is NewRequest in parts, which must not be changed.
func (w *writer) request(req llm.Request, q Quirks) ([][]byte, error) {
	r := struct {
		api.ChatCompletionRequest
		MaxTokens int       `json:"max_tokens,omitempty"`
		Messages  *struct{} `json:"messages,omitempty"` // in place of the library's own, which is always written
	}{MaxTokens: req.MaxTokens, ChatCompletionRequest: api.ChatCompletionRequest{
		Model:           req.Model,
		Stream:          true,
		StreamOptions:   &api.StreamOptions{IncludeUsage: true},
		ReasoningEffort: req.Effort,
	}}
	if q.MaxCompletionTokens {
		r.MaxCompletionTokens, r.MaxTokens = r.MaxTokens, 0
	}
	if len(req.Tools) > 0 {
		r.ToolChoice = toolChoice(req.ToolChoice)
	}
	if len(req.Schema) > 0 {
		r.ResponseFormat = &api.ChatCompletionResponseFormat{
			Type:       api.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &api.ChatCompletionResponseFormatJSONSchema{Name: "answer", Schema: req.Schema, Strict: q.Strict && strict.Fits(req.Schema)},
		}
	}
	head, err := wire.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	head = head[:len(head)-1]
	if len(req.Tools) > 0 {
		tools, err := w.tools.Text(req.Tools, q.tools)
		if err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
		head = append(append(head, `,"tools":`...), tools...)
	}
	said, err := w.said.Text(wireMessages(req, q), same, write)
	return [][]byte{append(head, `,"messages":[`...), said, []byte("]}")}, err
}

// tools returns what a request says of the tools.
func (q Quirks) tools(specs []llm.ToolSpec) ([]byte, error) {
	var out []api.Tool
	for _, t := range specs {
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		out = append(out, api.Tool{Type: api.ToolTypeFunction,
			Function: &api.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: schema, Strict: q.Strict && strict.Fits(schema)}})
	}
	return wire.Marshal(out)
}

// toolChoice returns c as the wire wants it, nil for the model's own choice.
func toolChoice(c llm.ToolChoice) any {
	switch c.Mode {
	case llm.ChoiceTool:
		return api.ToolChoice{Type: api.ToolTypeFunction, Function: api.ToolFunction{Name: c.Name}}
	case llm.ChoiceNone, llm.ChoiceRequired:
		return string(c.Mode)
	}
	return nil
}
