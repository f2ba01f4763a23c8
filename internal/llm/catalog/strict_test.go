package catalog

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agent/internal/llm"
)

// A local server that gets strict schemas may fail on their lists of types.
func TestStrictSchemasAreNotSentToAnotherAddress(t *testing.T) {
	for name, row := range map[string]struct {
		model, env string
		want       bool
	}{
		"azure":                 {"azure/my-gpt", "AZURE_OPENAI_ENDPOINT=URL AZURE_OPENAI_API_KEY=k", true},
		"openai, another base":  {"openai/gpt-4o", "OPENAI_API_KEY=k", false},
		"responses":             {"openai/gpt-5.4", "OPENAI_API_KEY=k", false},
		"anthropic":             {"anthropic/claude-sonnet-5", "ANTHROPIC_API_KEY=k", false},
		"a provider without it": {"groq/m", "GROQ_API_KEY=k", false},
	} {
		t.Run(name, func(t *testing.T) {
			body := ""
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				body = string(b)
				w.WriteHeader(http.StatusUnauthorized)
			}))
			defer s.Close()
			in := Input{Getenv: env(strings.ReplaceAll(row.env, "URL", s.URL)), Flag: row.model}
			if !strings.Contains(row.env, "URL") {
				in.BaseURL = s.URL
			}
			c, err := Resolve(in)
			if err != nil {
				t.Fatal(err)
			}
			p, err := c.Connect()
			if err != nil {
				t.Fatal(err)
			}
			tool := llm.ToolSpec{Name: "x", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}`),
				Strict: json.RawMessage(`{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"],"additionalProperties":false}`)}
			for range p.Stream(t.Context(), llm.Request{Model: c.Model, Tools: []llm.ToolSpec{tool}, Messages: []llm.Message{{Kind: llm.User, Text: "Hello"}}}) {
			}
			strict := strings.Contains(body, `"strict":true`) && strings.Contains(body, "null")
			if !strings.Contains(body, "additionalProperties") || strict != row.want || !row.want && strings.Contains(body, "null") {
				t.Errorf("strict is %v in %s", strict, body)
			}
		})
	}
}
