package openai

import (
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
	r := api.ChatCompletionRequest{
		Model:           req.Model,
		Stream:          true,
		StreamOptions:   &api.StreamOptions{IncludeUsage: true},
		ReasoningEffort: req.Effort,
	}
	limit := req.MaxTokens
	if q.MaxCompletionTokens {
		r.MaxCompletionTokens, limit = limit, 0
	}
	for _, t := range req.Tools {
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		r.Tools = append(r.Tools, api.Tool{Type: api.ToolTypeFunction,
			Function: &api.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: schema, Strict: q.Strict && strict.Fits(schema)}})
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
	body, err := wire.Marshal(struct {
		api.ChatCompletionRequest
		MaxTokens int       `json:"max_tokens,omitempty"`
		Messages  []message `json:"messages"`
	}{r, limit, wireMessages(req, q)})
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	return body, nil
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
