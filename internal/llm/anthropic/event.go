package anthropic

import (
	"encoding/json"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// event is an event of a stream, or a whole message, read generously: a field
// of an unexpected type is taken for missing.
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

// content is a block as it begins, or as a whole.
type content struct {
	Type      wire.Word       `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"` // of redacted_thinking
	ID        wire.Word       `json:"id"`
	Name      wire.Word       `json:"name"`
	Input     json.RawMessage `json:"input"`
}

// delta is what a block goes on with, or how the message ends.
type delta struct {
	Type      wire.Word `json:"type"`
	Text      string    `json:"text"`
	Thinking  string    `json:"thinking"`
	Signature string    `json:"signature"`
	Input     string    `json:"partial_json"`
	Stop      wire.Word `json:"stop_reason"`
}

// failure returns what e says went wrong, if it does.
func (e *event) failure() (wire.Failure, bool) {
	switch s := string(e.Error); {
	case s != "" && s != "null":
	case e.Type == "error":
		return wire.Failure{Message: "the provider told of an error and did not say which"}, true
	default:
		return wire.Failure{}, false
	}
	f, ok := wire.ParseFailure(e.Error)
	if !ok {
		f.Message = wire.Scalar(e.Error)
	}
	return f, true
}

// usage holds the counts of tokens. Those of the input are of parts here, which
// llm.Usage has together.
type usage struct {
	Input   *wire.Count `json:"input_tokens"`
	Output  *wire.Count `json:"output_tokens"`
	Read    *wire.Count `json:"cache_read_input_tokens"`
	Written *wire.Count `json:"cache_creation_input_tokens"`
	Details *struct {
		Thinking *wire.Count `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// tokens are the counts as the provider has them.
type tokens struct{ input, read, written, output, thought wire.Count }

// add takes a report. Of several in a reply the last one that has a count
// counts.
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
}

func (t tokens) usage() llm.Usage {
	return llm.Usage{
		Input:      int(t.input + t.read + t.written),
		Cached:     int(t.read),
		CacheWrite: int(t.written),
		Output:     int(t.output),
		Reasoning:  int(t.thought),
	}
}

// reason sorts the words for why a reply ended.
func reason(word string) llm.Reason {
	switch word {
	case "end_turn", "stop_sequence", "pause_turn":
		return llm.Stop
	case "tool_use":
		return llm.Calls
	case "max_tokens", "model_context_window_exceeded":
		return llm.Length
	case "refusal":
		return llm.Filtered
	}
	return llm.Unknown
}
