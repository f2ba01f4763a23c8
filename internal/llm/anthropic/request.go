package anthropic

import (
	"encoding/json"
	"fmt"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"agent/internal/llm"
)

// NewRequest returns the body of the request that asks for a stream.
func NewRequest(req llm.Request) ([]byte, error) {
	traits := traitsOf(req.Model)
	p := api.MessageNewParams{
		Model:     req.Model,
		MaxTokens: int64(req.MaxTokens),
		Messages:  wireMessages(req),
	}
	if p.MaxTokens == 0 {
		p.MaxTokens = int64(traits.limit)
	}
	if req.System != "" {
		p.System = []api.TextBlockParam{{Text: req.System}}
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
		p.OutputConfig.Format = format
	}
	think(&p, req, traits)
	mark(&p)
	p.SetExtraFields(map[string]any{"stream": true})
	body, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	return plain(body), nil
}

func tool(t llm.ToolSpec) api.ToolUnionParam {
	schema := t.Schema
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	out := api.ToolParam{Name: t.Name, InputSchema: param.Override[api.ToolInputSchemaParam](schema)}
	if t.Description != "" {
		out.Description = param.NewOpt(t.Description)
	}
	return api.ToolUnionParam{OfTool: &out}
}

// toolChoice returns c as the wire wants it, nothing for the model's own
// choice.
func toolChoice(c llm.ToolChoice) (out api.ToolChoiceUnionParam) {
	switch c.Mode {
	case llm.ChoiceTool:
		out.OfTool = &api.ToolChoiceToolParam{Name: c.Name}
	case llm.ChoiceRequired:
		out.OfAny = &api.ToolChoiceAnyParam{}
	case llm.ChoiceNone:
		none := api.NewToolChoiceNoneParam()
		out.OfNone = &none
	}
	return out
}

// outputFormat returns the shape of the answer in the part of JSON schema that
// the provider takes; what it leaves out is told in descriptions.
func outputFormat(schema json.RawMessage) (f api.JSONOutputFormatParam, err error) {
	if err := json.Unmarshal(schema, &f.Schema); err != nil {
		return f, fmt.Errorf("read the schema of the answer: %w", err)
	}
	if fit, ok := api.BetaJSONSchemaOutputFormat(f.Schema).Schema.(map[string]any); ok && fit != nil {
		f.Schema = fit
	}
	return f, nil
}

// mark says up to where the provider may keep the request in its cache: after
// the tools, after the system prompt, and after the last two messages that are
// not the model's, of which the first is where the request before this one
// ended. Four marks are as many as there may be.
func mark(p *api.MessageNewParams) {
	if n := len(p.Tools); n > 0 {
		p.Tools[n-1].OfTool.CacheControl = api.NewCacheControlEphemeralParam()
	}
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = api.NewCacheControlEphemeralParam()
	}
	left := 2
	for i := len(p.Messages) - 1; i >= 0 && left > 0; i-- {
		if m := p.Messages[i]; m.Role == api.MessageParamRoleUser {
			*m.Content[len(m.Content)-1].GetCacheControl() = api.NewCacheControlEphemeralParam()
			left--
		}
	}
}

// plain writes <, > and & as they are, where the library escapes them: code is
// full of them.
func plain(b []byte) []byte {
	out := b[:0]
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			out = append(out, b[i])
			continue
		}
		if i+6 <= len(b) {
			switch string(b[i : i+6]) {
			case `\u003c`:
				out, i = append(out, '<'), i+5
				continue
			case `\u003e`:
				out, i = append(out, '>'), i+5
				continue
			case `\u0026`:
				out, i = append(out, '&'), i+5
				continue
			}
		}
		out = append(out, b[i], b[i+1]) // an escape never ends a JSON text
		i++
	}
	return out
}
