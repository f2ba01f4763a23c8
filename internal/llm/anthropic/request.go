package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// NewRequest returns the body of the request that asks for a stream.
func NewRequest(req llm.Request) ([]byte, error) {
	parts, err := new(writer).request(req)
	return bytes.Join(parts, nil), err
}

// writer writes the requests of one provider. What one has in common with the
// last, the tools and the beginning of the conversation, is not written again.
// It is safe for concurrent use.
type writer struct {
	tools wire.Tools
	said  wire.Said[wireMessage]
}

// request is NewRequest in parts, which must not be changed.
func (w *writer) request(req llm.Request) ([][]byte, error) {
	messages := wireMessages(req)
	p := wireRequest{Model: req.Model}
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
	traits := traitsOf(req.Model)
	req.MaxTokens = cmp.Or(req.MaxTokens, traits.limit)
	think(&p, req, traits, messages)
	mark(messages)
	said, err := w.said.Text(messages, same, write)
	if err != nil {
		return nil, err
	}
	rest, err := wire.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	rest[0], rest = ',', rest[:len(rest)-1]
	if len(req.Tools) > 0 {
		text, err := w.tools.Text(req.Tools, tools)
		if err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
		rest = append(append(rest, `,"tools":`...), text...)
	}
	head := fmt.Appendf(nil, `{"max_tokens":%d,"messages":[`, req.MaxTokens)
	return [][]byte{head, said, []byte("]"), append(rest, `,"stream":true}`...)}, nil
}

// output returns what p says of the answer, which it says from now on.
func (p *wireRequest) output() *wireOutput {
	if p.Output == nil {
		p.Output = &wireOutput{}
	}
	return p.Output
}

// tools returns what a request says of the tools.
func tools(specs []llm.ToolSpec) ([]byte, error) {
	var out []wireTool
	for _, t := range specs {
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		out = append(out, wireTool{Schema: schema, Name: t.Name, Description: t.Description})
	}
	out[len(out)-1].Mark = here()
	return wire.Marshal(out)
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
