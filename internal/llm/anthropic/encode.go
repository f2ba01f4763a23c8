package anthropic

import (
	"fmt"
	"slices"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// encoder encodes the messages and the tools of requests, each of them once.
type encoder struct {
	messages *wire.Encoder[wireMessage]
	tools    *wire.Tools
}

func newEncoder() encoder { return encoder{wire.NewEncoder(wireMessage.encode), new(wire.Tools)} }

// encode returns m as JSON. Marked sets a cache mark on its last block.
func (m wireMessage) encode(marked bool) ([]byte, error) {
	if marked {
		m.Content = slices.Clone(m.Content)
		m.Content[len(m.Content)-1].Mark = newCacheMark()
	}
	return wire.Marshal(m)
}

// body returns p with the messages and the tools of req as JSON.
func (e encoder) body(p wireRequest, req llm.Request, t traits) ([]byte, error) {
	out := fmt.Appendf(nil, `{"max_tokens":%d,"messages":`, req.MaxTokens)
	key := struct {
		model  string
		search bool
	}{req.Model, req.WebSearch}
	out, err := e.messages.Append(out, key, req.Messages, 1<<16, func(list *wire.List[wireMessage]) {
		addMessages(list, req)
		think(&p, req, t, list.Items())
	})
	if err != nil {
		return nil, fmt.Errorf("write the messages: %w", err)
	}
	rest, err := wire.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	out = append(append(out, ','), rest[1:len(rest)-1]...)
	if len(req.Tools) > 0 || req.WebSearch {
		offer := struct{ enforced, search bool }{t.strict, req.WebSearch}
		text, err := e.tools.Encode(offer, req.Tools, func() ([]byte, error) { return wire.Marshal(tools(req.Tools, t.strict, req.WebSearch)) })
		if err != nil {
			return nil, fmt.Errorf("write the tools: %w", err)
		}
		out = append(append(out, `,"tools":`...), text...)
	}
	return append(out, `,"stream":true}`...), nil
}
