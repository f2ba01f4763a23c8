package responses

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/wire"
	"agent/internal/llm/wire/wiretest"
)

// TestRejectedParametersAreLeftOut checks that parameters which a model rejects
// are left out, and that this is remembered for the model.
func TestRejectedParametersAreLeftOut(t *testing.T) {
	thought := []llm.Message{
		{Kind: llm.Thinking, Reply: "r", Opaque: wire.Pack(dialect, "m", opaque{Reasoning: &reasoningItem{Type: "reasoning", Encrypted: "x"}})},
		{Kind: llm.Assistant, Reply: "r", Text: "so"}, {Kind: llm.User, Text: "and?"}}
	for name, row := range map[string]struct {
		refuses func(body string) string // error message for a request, "" to accept it
		asked   int                      // requests in two calls of Stream
	}{
		"reasoning": {func(body string) string {
			switch {
			case strings.Contains(body, `"summary":"auto"`):
				return "Unsupported parameter: 'reasoning.summary' is not supported with the 'm' model."
			case strings.Contains(body, `"include"`):
				return "Encrypted content is not supported with this model."
			}
			return ""
		}, 4},
		"summaries": {func(body string) string {
			if strings.Contains(body, `"summary":"auto"`) {
				return "Your organization must be verified to generate reasoning summaries."
			}
			return ""
		}, 3},
		"earlier reasoning": {func(body string) string {
			if strings.Contains(body, `"type":"reasoning"`) {
				return "The encrypted content x could not be verified. Reason: Encrypted content could not be decrypted or parsed."
			}
			return ""
		}, 4},
		"everything": {func(string) string { return "Encrypted content could not be decrypted or parsed." }, 4},
		"the cache key": {func(body string) string {
			if strings.Contains(body, `"prompt_cache_key":"s1"`) {
				return "Unknown parameter: 'prompt_cache_key'."
			}
			return ""
		}, 3},
		"an unsupported effort": {func(string) string { return "Unsupported value: 'reasoning.effort' does not support 'x'." }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				body, _ := io.ReadAll(r.Body)
				if wrong := row.refuses(string(body)); wrong != "" {
					w.WriteHeader(http.StatusBadRequest)
					_, _ = fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error"}}`, wrong)
					return
				}
				_, _ = w.Write(recording(t, "text.sse"))
			}))
			defer server.Close()
			p := New(Options{Endpoint: wire.Endpoint{Base: server.URL}, Quirks: Quirks{CacheKey: true}})
			defer p.Close()
			for range 2 {
				d := wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m", Messages: thought, Effort: "x", CacheKey: "s1"}))
				if never := row.refuses(`{}`) != ""; (d.Err != nil) != never {
					t.Errorf("got %v", d.Err)
				}
			}
			if asked != row.asked {
				t.Errorf("got %d requests, want %d", asked, row.asked)
			}
			if thought[0].Opaque == nil {
				t.Error("the request was changed")
			}
		})
	}
}
