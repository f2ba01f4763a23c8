package responses

import (
	"encoding/json"
	"fmt"

	"agent/internal/llm"
	"agent/internal/llm/strict"
	"agent/internal/llm/wire"
)

// Quirks are the differences of a model or provider from the standard.
type Quirks struct {
	// Plain is set for a model without reasoning, which rejects reasoning
	// parameters.
	Plain bool
	// NoSummary is set if reasoning summaries are rejected, as for
	// organizations that are not verified.
	NoSummary bool
	// Loose is set for a server that may not support strict schemas of tools.
	Loose bool
}

// request is the body of a request. Fields that change least come first, so
// that requests share a long prefix.
type request struct {
	Model           string      `json:"model"`
	Stream          bool        `json:"stream"`
	Store           bool        `json:"store"`
	Include         []string    `json:"include,omitempty"`
	Reasoning       *reasoning  `json:"reasoning,omitempty"`
	MaxOutputTokens int         `json:"max_output_tokens,omitempty"`
	Text            *textFormat `json:"text,omitempty"`
	ToolChoice      any         `json:"tool_choice,omitempty"`
	Tools           []tool      `json:"tools,omitempty"`
	Instructions    string      `json:"instructions,omitempty"`
	Input           []any       `json:"input"`
}

type reasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

type textFormat struct {
	Format jsonSchema `json:"format"`
}

type jsonSchema struct {
	Type   string          `json:"type"`
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// tool is a function that the model may call. Strict is always written because
// the API defaults to true.
type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// NewRequest returns the body of a streaming request. The provider stores
// nothing: every request holds the whole conversation with its encrypted
// reasoning.
func NewRequest(req llm.Request, q Quirks) ([]byte, error) {
	r := request{Model: req.Model, Stream: true, MaxOutputTokens: req.MaxTokens, Instructions: req.System, Input: input(req)}
	if !q.Plain {
		r.Include = []string{"reasoning.encrypted_content"}
		r.Reasoning = &reasoning{Effort: req.Effort, Summary: "auto"}
		if q.NoSummary {
			r.Reasoning.Summary = ""
		}
		if *r.Reasoning == (reasoning{}) {
			r.Reasoning = nil
		}
	}
	if len(req.Tools) > 0 {
		r.ToolChoice = toolChoice(req.ToolChoice)
	}
	if len(req.Schema) > 0 {
		r.Text = &textFormat{jsonSchema{Type: "json_schema", Name: "answer", Schema: req.Schema, Strict: strict.Fits(req.Schema)}}
	}
	for _, t := range req.Tools {
		schema, enforce := strict.Parameters(t, !q.Loose)
		r.Tools = append(r.Tools, tool{Type: "function", Name: t.Name, Description: t.Description, Parameters: schema, Strict: enforce})
	}
	body, err := wire.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	return body, nil
}

// toolChoice encodes c; nil if the model decides.
func toolChoice(c llm.ToolChoice) any {
	switch c.Mode {
	case llm.ChoiceTool:
		return struct {
			Type string `json:"type"`
			Name string `json:"name"`
		}{"function", c.Name}
	case llm.ChoiceNone, llm.ChoiceRequired:
		return string(c.Mode)
	}
	return nil
}
