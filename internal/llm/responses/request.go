package responses

import (
	"encoding/json"
	"slices"

	"agent/internal/llm"
	"agent/internal/llm/strict"
)

// Quirks are the differences of a model or provider from the standard.
type Quirks struct {
	// Plain is set for a model without reasoning, which rejects reasoning
	// parameters.
	Plain bool
	// NoSummary is set if reasoning summaries are rejected, as for
	// organizations that are not verified.
	NoSummary bool
	// NoCustom is set if tools whose argument is plain text are rejected.
	NoCustom bool
	// Loose is set for a server that may not support strict schemas of tools.
	Loose bool
	// CacheKey sends llm.Request.CacheKey.
	CacheKey bool
}

// request is the body of a request. Fields that change least come first, so
// that requests share a long prefix. An encoder writes the tools, the instructions
// and the input after them.
type request struct {
	Model           string      `json:"model"`
	Stream          bool        `json:"stream"`
	Store           bool        `json:"store"`
	CacheKey        string      `json:"prompt_cache_key,omitempty"`
	Include         []string    `json:"include,omitempty"`
	Reasoning       *reasoning  `json:"reasoning,omitempty"`
	MaxOutputTokens int         `json:"max_output_tokens,omitempty"`
	Text            *textFormat `json:"text,omitempty"`
	ToolChoice      any         `json:"tool_choice,omitempty"`
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

// customTool is a tool whose argument is plain text in a grammar.
type customTool struct {
	Type        string  `json:"type"`
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Format      grammar `json:"format"`
}

type grammar struct {
	Type       string `json:"type"`
	Syntax     string `json:"syntax"`
	Definition string `json:"definition"`
}

// NewRequest returns the body of a streaming request. The provider stores
// nothing: every request holds the whole conversation with its encrypted
// reasoning.
func NewRequest(req llm.Request, q Quirks) ([]byte, error) { return newEncoder().request(req, q) }

// request is NewRequest, but reuses the encodings of earlier requests.
func (e encoder) request(req llm.Request, q Quirks) ([]byte, error) {
	if q.NoCustom {
		req.Tools = withoutFreeform(req.Tools)
	}
	r := request{Model: req.Model, Stream: true, MaxOutputTokens: req.MaxTokens}
	if q.CacheKey {
		r.CacheKey = req.CacheKey
	}
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
	if len(req.Tools) > 0 || req.WebSearch {
		r.ToolChoice = toolChoice(req.ToolChoice, freeform(req.Tools))
	}
	if len(req.Schema) > 0 {
		r.Text = &textFormat{jsonSchema{Type: "json_schema", Name: "answer", Schema: req.Schema, Strict: strict.Fits(req.Schema)}}
	}
	if req.WebSearch {
		r.Include = append(slices.Clip(r.Include), includeSources)
	}
	return e.body(r, req, q)
}

// tools returns the tools that req offers: each a tool, customTool or providerTool.
func tools(req llm.Request, q Quirks) (all []any) {
	for _, t := range req.Tools {
		if t.Freeform != nil {
			all = append(all, customTool{Type: "custom", Name: t.Name, Description: t.Description,
				Format: grammar{Type: "grammar", Syntax: "lark", Definition: t.Freeform.Grammar}})
			continue
		}
		schema, enforce := strict.Parameters(t, !q.Loose)
		all = append(all, tool{Type: "function", Name: t.Name, Description: t.Description, Parameters: schema, Strict: enforce})
	}
	if req.WebSearch {
		all = append(all, providerTool{Type: searchTool})
	}
	return all
}

// toolChoice encodes c; nil if the model decides. Custom holds the custom tools.
func toolChoice(c llm.ToolChoice, custom map[string]string) any {
	switch c.Mode {
	case llm.ChoiceTool:
		typ := "function"
		if custom[c.Name] != "" {
			typ = "custom"
		}
		return struct {
			Type string `json:"type"`
			Name string `json:"name"`
		}{typ, c.Name}
	case llm.ChoiceNone, llm.ChoiceRequired:
		return string(c.Mode)
	}
	return nil
}
