package anthropic

import (
	"encoding/json"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// event is an event of a stream, or a whole message. A field of an unexpected
// type counts as missing.
type event struct {
	Type    wire.Word       `json:"type"`
	Index   int             `json:"index"`
	Message *message        `json:"message"` // of message_start
	Block   *content        `json:"content_block"`
	Delta   *delta          `json:"delta"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`

	// Of a message that was not streamed.
	Content []content `json:"content"`
	Stop    wire.Word `json:"stop_reason"`
}

type message struct {
	ID    wire.Word `json:"id"`
	Usage *usage    `json:"usage"`
}

// content is a block at its start, or a whole one.
type content struct {
	Type      wire.Word         `json:"type"`
	Text      string            `json:"text"`
	Thinking  string            `json:"thinking"`
	Signature string            `json:"signature"`
	Data      string            `json:"data"` // of redacted_thinking
	ID        wire.Word         `json:"id"`
	Name      wire.Word         `json:"name"`
	Input     json.RawMessage   `json:"input"`
	ToolUseID wire.Word         `json:"tool_use_id"` // of web_search_tool_result
	Content   json.RawMessage   `json:"content"`     // of web_search_tool_result
	Citations []json.RawMessage `json:"citations"`   // of a whole text
}

// delta is a piece of a block, or the end of the message.
type delta struct {
	Type      wire.Word       `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Input     string          `json:"partial_json"`
	Stop      wire.Word       `json:"stop_reason"`
	Citation  json.RawMessage `json:"citation"` // of a text
}

// failure returns the error that e reports, if any.
func (e *event) failure() (wire.Failure, bool) {
	switch s := string(e.Error); {
	case s != "" && s != "null":
	case e.Type == "error":
		return wire.Failure{Message: "the provider reported an error without details"}, true
	default:
		return wire.Failure{}, false
	}
	f, ok := wire.ParseFailure(e.Error)
	if !ok {
		f.Message = wire.Scalar(e.Error)
	}
	return f, true
}

// usage holds token counts. The input counts are parts; llm.Usage has their
// sum.
type usage struct {
	Input   *wire.Count `json:"input_tokens"`
	Output  *wire.Count `json:"output_tokens"`
	Read    *wire.Count `json:"cache_read_input_tokens"`
	Written *wire.Count `json:"cache_creation_input_tokens"`
	Server  *struct {
		Searches *wire.Count `json:"web_search_requests"`
	} `json:"server_tool_use"`
	Details *struct {
		Thinking *wire.Count `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// tokens holds the counts as the provider reports them.
type tokens struct{ input, read, written, output, thought, searches wire.Count }

// add merges a report. Of several values for one count, the last one wins.
func (t *tokens) add(u *usage) {
	if u == nil {
		return
	}
	for _, c := range []struct{ to, from *wire.Count }{
		{&t.input, u.Input}, {&t.output, u.Output}, {&t.read, u.Read}, {&t.written, u.Written},
	} {
		if c.from != nil {
			*c.to = *c.from
		}
	}
	if u.Details != nil && u.Details.Thinking != nil {
		t.thought = *u.Details.Thinking
	}
	if u.Server != nil && u.Server.Searches != nil {
		t.searches = *u.Server.Searches
	}
}

func (t tokens) usage() llm.Usage {
	return llm.Usage{
		Input:      int(t.input + t.read + t.written),
		Cached:     int(t.read),
		CacheWrite: int(t.written),
		Output:     int(t.output),
		Reasoning:  int(t.thought),
		Searches:   int(t.searches),
	}
}

// reason maps the provider's stop reasons.
func reason(word string) llm.Reason {
	switch word {
	case "end_turn", "stop_sequence":
		return llm.Stop
	case "pause_turn":
		return llm.Paused
	case "tool_use":
		return llm.Calls
	case "max_tokens", "model_context_window_exceeded":
		return llm.Length
	case "refusal":
		return llm.Filtered
	}
	return llm.Unknown
}
