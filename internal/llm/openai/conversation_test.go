package openai

import (
	"encoding/json"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/wire/wiretest"
)

// What is kept of the requests before changes none that follows, nor itself.
func TestRequestsAreKept(t *testing.T) {
	var w writer
	wiretest.Kept(t, func(req llm.Request) ([][]byte, error) { return w.request(req, Quirks{}) },
		func(req llm.Request) ([]byte, error) { return NewRequest(req, Quirks{}) })
	bad := llm.Request{Tools: []llm.ToolSpec{{Name: "bad", Schema: json.RawMessage(`{`)}}}
	if _, err := w.request(bad, Quirks{}); err == nil {
		t.Error("a schema that is no JSON passes")
	}
}
