package responses

import (
	"fmt"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// encoder encodes the input items and the tools of requests, each of them once.
type encoder struct {
	items *wire.Encoder[any]
	tools *wire.Tools
}

func newEncoder() encoder {
	return encoder{wire.NewEncoder(func(item any, _ bool) ([]byte, error) { return wire.Marshal(item) }), new(wire.Tools)}
}

// body returns r with the tools, the instructions and the messages of req as JSON.
func (e encoder) body(r request, req llm.Request, q Quirks) ([]byte, error) {
	out, err := wire.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	out = out[:len(out)-1]
	if len(req.Tools) > 0 || req.WebSearch {
		offer := struct{ loose, search bool }{q.Loose, req.WebSearch}
		text, err := e.tools.Encode(offer, req.Tools, func() ([]byte, error) { return wire.Marshal(tools(req, q)) })
		if err != nil {
			return nil, fmt.Errorf("write the tools: %w", err)
		}
		out = append(append(out, `,"tools":`...), text...)
	}
	if req.System != "" {
		text, err := wire.Marshal(req.System)
		if err != nil {
			return nil, fmt.Errorf("write the instructions: %w", err)
		}
		out = append(append(out, `,"instructions":`...), text...)
	}
	b := builder{model: req.Model, search: req.WebSearch, custom: freeform(req.Tools)}
	key := struct {
		model, custom string
		search        bool
	}{b.model, fmt.Sprint(b.custom), b.search}
	if out, err = e.items.Append(append(out, `,"input":`...), key, req.Messages, 1, b.input); err != nil {
		return nil, fmt.Errorf("write the input: %w", err)
	}
	return append(out, '}'), nil
}
