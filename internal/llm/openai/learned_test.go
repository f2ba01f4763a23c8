package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire"
	"agent/internal/llm/wire/wiretest"
)

// talk is a conversation with every part that a server may reject.
func talk() llm.Request {
	return llm.Request{Model: "m", System: "be kind", Effort: "low", MaxTokens: 50, CacheKey: "s1",
		Tools: []llm.ToolSpec{{Name: "look", Schema: json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)}},
		Messages: []llm.Message{
			{Kind: llm.User, Text: "go"},
			{Kind: llm.Thinking, Reply: "r1", Text: "hm"},
			{Kind: llm.ToolCall, Reply: "r1", ID: "c1", Name: "look", Input: json.RawMessage(`{}`)},
			{Kind: llm.ToolResult, Reply: "r1", ID: "c1", Text: "a.go"},
			{Kind: llm.User, Text: "stop"},
		}}
}

// TestRejectedForms checks that a request is sent again without what the server
// rejects, that the fact is kept for later requests and providers, and that other
// errors are reported at once. The messages are those of real servers.
func TestRejectedForms(t *testing.T) {
	all := Quirks{KeepThinking: true, Strict: true, CacheMarks: true, CacheKey: true}
	for name, c := range map[string]struct {
		quirks  Quirks
		rejects func(body string) bool
		status  int
		message string
		fact    string
	}{
		"thinking that Groq rejects": {all, has(`"reasoning_content"`), 400,
			"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]", "no_thinking"},
		"thinking that Mistral rejects": {all, has(`"reasoning_content"`), 422, "messages.2.assistant.reasoning_content: Extra inputs are not permitted", "no_thinking"},
		"thinking that DeepSeek asks for": {Quirks{}, hasNot(`"reasoning_content":"hm"`), 400,
			"The `reasoning_content` in the thinking mode must be passed back to the API.", "thinking"},
		"thinking that Kimi asks for": {Quirks{}, hasNot(`"reasoning_content":"hm"`), 400,
			"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2", "thinking"},
		"roles of a Jinja template": {all, hasNot(`{"role":"assistant","content":"OK."}`), 500,
			"Error: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.", "alternating_roles"},
		"roles of Mistral":            {all, hasNot(`{"role":"assistant","content":"OK."}`), 400, "Unexpected role 'user' after role 'tool'", "alternating_roles"},
		"max_tokens of OpenAI":        {all, has(`"max_tokens"`), 400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_completion_tokens"},
		"max_completion_tokens":       {Quirks{MaxCompletionTokens: true}, has(`"max_completion_tokens"`), 400, "Unrecognized request argument supplied: max_completion_tokens", "max_tokens"},
		"stream_options":              {all, has(`"stream_options"`), 422, "body.stream_options: Extra inputs are not permitted", "no_stream_options"},
		"reasoning_effort":            {all, has(`"reasoning_effort"`), 400, "Unsupported parameter: 'reasoning_effort' is not supported with this model.", "no_reasoning_effort"},
		"strict":                      {all, has(`"strict"`), 400, "tools[0].function: Unknown field: strict", "no_strict"},
		"cache_control":               {all, has(`"cache_control"`), 400, "messages.0.content.0.cache_control: Extra inputs are not permitted", "no_cache_control"},
		"prompt_cache_key":            {all, has(`"prompt_cache_key"`), 400, "Unrecognized request argument supplied: prompt_cache_key", "no_prompt_cache_key"},
		"a value that does not exist": {all, has(`"reasoning_effort"`), 400, "Invalid value: 'low' for reasoning_effort", ""},
		"another error":               {all, has(`"m"`), 400, "the model is asleep", ""},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				body, _ := io.ReadAll(r.Body)
				if !json.Valid(body) {
					t.Errorf("the request is not JSON: %s", body)
				}
				if c.rejects(string(body)) {
					w.WriteHeader(c.status)
					_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": c.message}})
					return
				}
				_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"fine"},"finish_reason":"stop"}]}`)
			}))
			defer server.Close()
			learned := wire.NewServerLimits()
			open := func() *Provider {
				return New(Options{Endpoint: wire.Endpoint{Base: server.URL}, Quirks: c.quirks, ServerLimits: learned})
			}
			got := wiretest.Collect(open().Stream(t.Context(), talk()))
			if c.fact == "" {
				if got.Err == nil || requests != 1 || learned.Limits("m") != nil {
					t.Errorf("got %v after %d requests, facts %v", got.Err, requests, learned.Limits("m"))
				}
				return
			}
			if got.Err != nil || requests != 2 || !slices.Equal(learned.Limits("m"), []string{c.fact}) {
				t.Fatalf("got %v after %d requests, facts %v", got.Err, requests, learned.Limits("m"))
			}
			if again := wiretest.Collect(open().Stream(t.Context(), talk())); again.Err != nil || requests != 3 {
				t.Errorf("the next provider: got %v after %d requests", again.Err, requests)
			}
		})
	}
}

// TestNothingIsLearnedFromAFailure checks that a fact whose other form fails as
// well is not kept, and that the requests end.
func TestNothingIsLearnedFromAFailure(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusBadRequest)
		message := "reasoning_content is missing in assistant message"
		if strings.Contains(string(body), "reasoning_content") {
			message = "reasoning_content is unsupported"
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": message}})
	}))
	defer server.Close()
	learned := wire.NewServerLimits()
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL}, ServerLimits: learned})
	if got := wiretest.Collect(p.Stream(t.Context(), talk())); got.Err == nil || got.Err.Kind != llm.ErrInvalid || requests > 6 || learned.Limits("m") != nil {
		t.Errorf("got %v after %d requests, facts %v", got.Err, requests, learned.Limits("m"))
	}
}

func has(part string) func(string) bool {
	return func(body string) bool { return strings.Contains(body, part) }
}

func hasNot(part string) func(string) bool {
	return func(body string) bool { return !strings.Contains(body, part) }
}

// TestCacheMarks checks where the marks are, and that each request repeats the
// content of the previous one.
func TestCacheMarks(t *testing.T) {
	req := talk()
	for n, want := range map[int][]int{1: {0, 1}, 4: {0, 1, 3}, 5: {0, 1, 4}} {
		req.Messages = talk().Messages[:n]
		body, err := NewRequest(req, Quirks{CacheMarks: true})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := NewRequest(req, Quirks{})
		if err != nil {
			t.Fatal(err)
		}
		var got, without struct {
			Messages []map[string]any
		}
		if json.Unmarshal(body, &got) != nil || json.Unmarshal(plain, &without) != nil {
			t.Fatalf("not JSON: %s", body)
		}
		var marked []int
		for i, m := range got.Messages {
			parts, ok := m["content"].([]any)
			if !ok {
				continue
			}
			part := parts[0].(map[string]any)
			if !cmp.Equal(part["cache_control"], any(map[string]any{"type": "ephemeral"})) {
				t.Errorf("message %d: got %v", i, part)
			}
			marked = append(marked, i)
			m["content"] = part["text"]
		}
		if diff := cmp.Diff(got.Messages, without.Messages); diff != "" {
			t.Errorf("%d messages: apart from the marks: got, want:\n%s", n, diff)
		}
		if !slices.Equal(marked, want) {
			t.Errorf("%d messages: marked %v, want %v", n, marked, want)
		}
	}
	req.Messages = []llm.Message{{Kind: llm.User, Text: "look", Images: []llm.Image{{MediaType: "image/png", Data: []byte{1}}}}}
	body, err := NewRequest(req, Quirks{CacheMarks: true})
	if want := `{"type":"image_url","image_url":{"url":"data:image/png;base64,AQ=="},"cache_control":{"type":"ephemeral"}}`; err != nil || !strings.Contains(string(body), want) {
		t.Errorf("got %s, %v, want it to hold %s", body, err, want)
	}
}
