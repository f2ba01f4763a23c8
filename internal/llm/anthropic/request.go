package anthropic

import (
	"cmp"
	"encoding/json"
	"fmt"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// NewRequest returns the body of the request that asks for a stream.
func NewRequest(req llm.Request) ([]byte, error) {
	traits := traitsOf(req.Model)
	p := wireRequest{
		Model:     req.Model,
		MaxTokens: cmp.Or(req.MaxTokens, traits.limit),
		Messages:  wireMessages(req),
		Stream:    true,
	}
	if req.System != "" {
		p.System = []wireBlock{textBlock(req.System)}
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, tool(t))
	}
	if len(p.Tools) > 0 {
		p.ToolChoice = toolChoice(req.ToolChoice)
	}
	if len(req.Schema) > 0 {
		format, err := outputFormat(req.Schema)
		if err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
		p.output().Format = format
	}
	think(&p, req, traits)
	mark(&p)
	body, err := wire.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	return body, nil
}

// output returns what p says of the answer, which it says from now on.
func (p *wireRequest) output() *wireOutput {
	if p.Output == nil {
		p.Output = &wireOutput{}
	}
	return p.Output
}

func tool(t llm.ToolSpec) wireTool {
	schema := t.Schema
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return wireTool{Schema: schema, Name: t.Name, Description: t.Description}
}

// toolChoice returns c as the wire wants it, nothing for the model's own
// choice.
func toolChoice(c llm.ToolChoice) *wireChoice {
	switch c.Mode {
	case llm.ChoiceTool:
		return &wireChoice{Name: c.Name, Type: "tool"}
	case llm.ChoiceRequired:
		return &wireChoice{Type: "any"}
	case llm.ChoiceNone:
		return &wireChoice{Type: "none"}
	}
	return nil
}

// mark says up to where the provider may keep the request in its cache: after
// the tools, after the system prompt, and after the last two messages that are
// not the model's, of which the first is where the request before this one
// ended. Four marks are as many as there may be.
func mark(p *wireRequest) {
	here := &wireMark{Type: "ephemeral"}
	if n := len(p.Tools); n > 0 {
		p.Tools[n-1].Mark = here
	}
	if n := len(p.System); n > 0 {
		p.System[n-1].Mark = here
	}
	left := 2
	for i := len(p.Messages) - 1; i >= 0 && left > 0; i-- {
		if m := p.Messages[i]; m.Role == roleUser {
			m.Content[len(m.Content)-1].Mark = here
			left--
		}
	}
}
