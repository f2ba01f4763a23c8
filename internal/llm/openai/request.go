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

// request is a request of the library with the parts that it cannot express.
type request struct {
	api.ChatCompletionRequest
	// model is kept from the library, which rejects tools and token limits for
	// some model names that support them.
	model    string
	cacheKey string // prompt_cache_key; empty for none
	builder  builder
	messages []llm.Message  // kept from the library, which would encode all of them each time
	tools    []llm.ToolSpec // as messages
	encoder  encoder
}

// NewRequest returns the body of a streaming request.
func NewRequest(req llm.Request, q Quirks) ([]byte, error) {
	r := newRequest(req, q, newEncoder())
	body, err := json.Marshal(r.ChatCompletionRequest)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	return r.complete(body)
}

func newRequest(req llm.Request, q Quirks, e encoder) *request {
	r := &request{model: req.Model, encoder: e, builder: builder{req.Model, req.System, q}, messages: req.Messages, tools: req.Tools, ChatCompletionRequest: api.ChatCompletionRequest{
		Messages:        []api.ChatCompletionMessage{},
		Stream:          true,
		ReasoningEffort: req.Effort,
	}}
	if !q.NoStreamOptions {
		r.StreamOptions = &api.StreamOptions{IncludeUsage: true}
	}
	if q.NoEffort {
		r.ReasoningEffort = ""
	}
	if q.CacheKey {
		r.cacheKey = req.CacheKey
	}
	if q.MaxCompletionTokens {
		r.MaxCompletionTokens = req.MaxTokens
	} else {
		//lint:ignore SA1019 most servers besides OpenAI's know only this name
		r.MaxTokens = req.MaxTokens
	}
	if len(req.Tools) > 0 {
		r.Tools = []api.Tool{{Type: placeOfTools}}
		r.ToolChoice = toolChoice(req.ToolChoice)
	}
	if len(req.Schema) > 0 {
		r.ResponseFormat = &api.ChatCompletionResponseFormat{
			Type:       api.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &api.ChatCompletionResponseFormatJSONSchema{Name: "answer", Schema: req.Schema, Strict: q.Strict && strict.Fits(req.Schema)},
		}
	}
	return r
}

// libraryHead is the beginning of a request that the library encodes without a
// model and messages.
const libraryHead = `{"model":"","messages":[]`

// placeOfTools stands for the tools in a request that the library encodes. Only what this
// package sets follows it there.
const placeOfTools = "place of the tools"

// complete adds the parts that the library cannot express to the body that it
// encoded.
func (r *request) complete(body []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(body, []byte(libraryHead))
	if !ok {
		return nil, fmt.Errorf("read the request of the library: it does not begin with %s", libraryHead)
	}
	model, err := wire.Marshal(r.model)
	if err != nil {
		return nil, fmt.Errorf("write the model: %w", err)
	}
	before, after, err := r.aroundTools(unescape(rest))
	if err != nil {
		return nil, err
	}
	var tools []byte
	if after != nil {
		strict := r.builder.quirks.Strict
		if tools, err = r.encoder.tools.Encode(strict, r.tools, func() ([]byte, error) { return encodeTools(r.tools, strict) }); err != nil {
			return nil, fmt.Errorf("write the tools: %w", err)
		}
	}
	out := append(append([]byte(`{"model":`), model...), `,"messages":`...)
	if out, err = r.encoder.messages.Append(out, r.builder, r.messages, len(rest)+len(tools)+100, r.builder.messages); err != nil {
		return nil, fmt.Errorf("write the messages: %w", err)
	}
	if r.cacheKey != "" {
		key, err := wire.Marshal(r.cacheKey)
		if err != nil {
			return nil, fmt.Errorf("write the cache key: %w", err)
		}
		out = append(append(out, `,"prompt_cache_key":`...), key...)
	}
	return append(append(append(out, before...), tools...), after...), nil
}

// aroundTools returns what is before and after the tools in the rest of a body. after is nil if
// there are no tools.
func (r *request) aroundTools(rest []byte) (before, after []byte, err error) {
	if len(r.tools) == 0 {
		return rest, nil, nil
	}
	place := []byte(`[{"type":"` + placeOfTools + `"}]`)
	i := bytes.LastIndex(rest, place)
	if i < 0 {
		return nil, nil, fmt.Errorf("read the request of the library: it does not have %s", place)
	}
	return rest[:i], rest[i+len(place):], nil
}

// unescape undoes the library's escapes of <, > and & in place. They are
// frequent in code.
func unescape(text []byte) []byte {
	out := text[:0]
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			return append(out, text...)
		}
		out = append(out, text[:i]...)
		text = text[i:]
		n := 2 // minimum length of an escape
		switch {
		case bytes.HasPrefix(text, []byte(`\u003c`)):
			out, n = append(out, '<'), 6
		case bytes.HasPrefix(text, []byte(`\u003e`)):
			out, n = append(out, '>'), 6
		case bytes.HasPrefix(text, []byte(`\u0026`)):
			out, n = append(out, '&'), 6
		default:
			out = append(out, text[:2]...)
		}
		text = text[n:]
	}
}

// toolChoice encodes c; nil if the model decides.
func toolChoice(c llm.ToolChoice) any {
	switch c.Mode {
	case llm.ChoiceTool:
		return api.ToolChoice{Type: api.ToolTypeFunction, Function: api.ToolFunction{Name: c.Name}}
	case llm.ChoiceNone, llm.ChoiceRequired:
		return string(c.Mode)
	}
	return nil
}
