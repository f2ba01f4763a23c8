package responses

import (
	"encoding/json"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// event is an event of a stream. A field of an unexpected type counts as
// missing.
type event struct {
	Type      string          `json:"type"`
	At        int             `json:"output_index"`
	Summary   int             `json:"summary_index"`
	Content   int             `json:"content_index"`
	Delta     wire.Word       `json:"delta"`
	Arguments wire.Word       `json:"arguments"`
	Input     wire.Word       `json:"input"` // of a call of a custom tool
	Item      *item           `json:"item"`
	Response  *response       `json:"response"`
	Error     json.RawMessage `json:"error"`
	Output    json.RawMessage `json:"output"` // of a whole response
	Object    string          `json:"object"` // "response" for a whole response that was not streamed
}

// item is an output item of the model: a message, a call, or reasoning.
type item struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Status    string          `json:"status"`
	Content   []part          `json:"content"`           // of a message; of reasoning, its full text
	Phase     string          `json:"phase"`             // of a message
	CallID    wire.Word       `json:"call_id"`           // of a call
	Name      wire.Word       `json:"name"`              // of a call
	Arguments wire.Word       `json:"arguments"`         // of a call
	Input     wire.Word       `json:"input"`             // of a call of a custom tool
	Summary   []part          `json:"summary"`           // of reasoning
	Encrypted string          `json:"encrypted_content"` // of reasoning
	Action    searched        `json:"action"`            // of a web search
	raw       json.RawMessage // a web search as received
}

type part struct {
	Type        string       `json:"type"`
	Text        string       `json:"text"`
	Refusal     string       `json:"refusal"`
	Annotations []annotation `json:"annotations"` // of a message
}

// response is the final state of a response.
type response struct {
	Status     string          `json:"status"`
	Output     []item          `json:"output"`
	Usage      *usage          `json:"usage"`
	Error      json.RawMessage `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

// usage counts tokens.
type usage struct {
	Input   wire.Count `json:"input_tokens"`
	Output  wire.Count `json:"output_tokens"`
	Details struct {
		Cached  wire.Count `json:"cached_tokens"`
		Written wire.Count `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	Split struct {
		Reasoning wire.Count `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// neutral converts u.
func (u *usage) neutral() llm.Usage {
	if u == nil {
		return llm.Usage{}
	}
	return llm.Usage{Input: int(u.Input), Cached: int(u.Details.Cached), CacheWrite: int(u.Details.Written),
		Output: int(u.Output), Reasoning: int(u.Split.Reasoning)}
}

// failed returns the error that data reports.
func failed(data []byte) error {
	f, ok := wire.ParseFailure(data)
	if !ok || f.Message == "" && f.Code == "" {
		f.Message = "the request failed without a reason"
	}
	if aboutRequest(f.Code) {
		f.Type = "invalid_request_error"
	}
	return f.Err(0)
}

// aboutRequest reports whether code blames the request, so that a retry would
// not help.
func aboutRequest(code string) bool {
	return strings.HasPrefix(code, "invalid_") || strings.Contains(code, "image") || strings.Contains(code, "policy")
}

// isSet reports whether a field is present and not null.
func isSet(b json.RawMessage) bool { return len(b) > 0 && string(b) != "null" }
