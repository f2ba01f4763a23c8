package catalog

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/llm/wire"
)

// asked is a chat completions request as decoded by a server.
type asked struct {
	Model               string
	Stream              bool
	MaxTokens           int    `json:"max_tokens"`
	MaxCompletionTokens int    `json:"max_completion_tokens"`
	ReasoningEffort     string `json:"reasoning_effort"`
	ToolChoice          string `json:"tool_choice"`
	Tools               []struct {
		Type     string
		Function struct {
			Name, Description string
			Parameters        map[string]any
		}
	}
	Messages []struct {
		Role, Content string
		ToolCallID    string `json:"tool_call_id"`
		ToolCalls     []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
}

// TestEveryModelTakesTools sends a request with tools, a limit and an effort to
// every known model over chat completions, and checks that everything arrives:
// the library rejects some of it for certain model names.
func TestEveryModelTakesTools(t *testing.T) {
	var got asked
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = asked{}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		_, _ = w.Write([]byte(stream))
	}))
	defer server.Close()
	raw := map[string]Info{}
	if err := json.Unmarshal(embedded, &raw); err != nil {
		t.Fatal(err)
	}
	// The library treats these names specially: a completion model, and
	// reasoning models.
	models := append(slices.Collect(maps.Keys(raw)), "text-davinci-003", "o1-mini", "o3", "gpt-5", "gpt-6-sol", "gpt-6-astra")
	for _, row := range Providers() {
		models = append(models, row.Models.Default)
	}
	const sent = `{
		"stream": true, "reasoning_effort": "minimal", "tool_choice": "required",
		"tools": [{"type": "function", "function": {"name": "read", "description": "reads", "parameters": {"type": "object"}}}],
		"messages": [
			{"role": "system", "content": "be <kind>"}, {"role": "user", "content": "look"},
			{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "read", "arguments": "{}"}}]},
			{"role": "tool", "content": "x < y", "tool_call_id": "a"}
		]}`
	for _, newer := range []bool{false, true} {
		p := openai.New(openai.Options{Endpoint: wire.Endpoint{Base: server.URL}, Quirks: openai.Quirks{MaxCompletionTokens: newer}})
		defer p.Close()
		for _, model := range models {
			want := asked{Model: model, MaxTokens: 9}
			if err := json.Unmarshal([]byte(sent), &want); err != nil {
				t.Fatal(err)
			}
			if newer {
				want.MaxTokens, want.MaxCompletionTokens = 0, 9
			}
			for _, err := range p.Stream(t.Context(), llm.Request{
				Model: model, System: "be <kind>", MaxTokens: 9, Effort: "minimal",
				Tools:      []llm.ToolSpec{{Name: "read", Description: "reads", Schema: json.RawMessage(`{"type":"object"}`)}},
				ToolChoice: llm.ToolChoice{Mode: llm.ChoiceRequired},
				Messages: []llm.Message{{Kind: llm.User, Text: "look"}, {Kind: llm.ToolCall, Reply: "r", ID: "a", Name: "read", Input: json.RawMessage(`{}`)},
					{Kind: llm.ToolResult, ID: "a", Text: "x < y"}},
			}) {
				if err != nil {
					t.Errorf("%s: %v", model, err)
				}
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("%s: got, want:\n%s", model, diff)
			}
		}
	}
	if len(raw) < 50 {
		t.Errorf("the table has only %d models", len(raw))
	}
}
