package anthropic

import (
	"cmp"
	"fmt"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// NewRequest returns the body of the request that asks for a stream.
func NewRequest(req llm.Request) ([]byte, error) {
	traits := traitsOf(req.Model)
	req.MaxTokens = cmp.Or(req.MaxTokens, traits.limit)
	p := wireRequest{MaxTokens: req.MaxTokens, Messages: wireMessages(req), Model: req.Model, Tools: tools(req.Tools), Stream: true}
	if req.System != "" {
		p.System = []wireBlock{textBlock(req.System)}
		p.System[0].Mark = here()
	}
	if len(req.Tools) > 0 {
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
	mark(p.Messages)
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

// tools returns what a request says of the tools.
func tools(specs []llm.ToolSpec) []wireTool {
	var out []wireTool
	for _, t := range specs {
		out = append(out, wireTool{Schema: wire.Parameters(t), Name: t.Name, Description: t.Description})
	}
	if len(out) > 0 {
		out[len(out)-1].Mark = here()
	}
	return out
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

// here says that the provider may keep the request in its cache up to here: after
// the tools, after the system prompt, and where mark says so. Four marks are as
// many as there may be.
func here() *wireMark { return &wireMark{Type: "ephemeral"} }

// mark marks the last two messages that are not the model's, of which the first
// is where the request before this one ended.
func mark(messages []wireMessage) {
	left := 2
	for i := len(messages) - 1; i >= 0 && left > 0; i-- {
		if m := messages[i]; m.Role == roleUser {
			m.Content[len(m.Content)-1].Mark = here()
			left--
		}
	}
}
