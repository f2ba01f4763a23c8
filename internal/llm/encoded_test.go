package llm_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/openai"
	"agent/internal/llm/responses"
	"agent/internal/llm/wire"
	"agent/internal/sampling"
)

// A provider encodes each message and the tools once. What it sends equals a request that is encoded anew,
// also if messages were changed or removed since, and if several conversations alternate.
func TestRequestsAreEncodedAsAnew(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing here, and slows it down")
	}
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	at := wire.Endpoint{Base: server.URL}
	steps := 100
	if sampling.Whole() {
		steps = 400
	}
	for name, p := range map[string]interface {
		llm.Provider
		Body(llm.Request) ([]byte, error)
	}{
		"chat":        openai.New(openai.Options{Endpoint: at}),
		"chat, marks": openai.New(openai.Options{Endpoint: at, Quirks: openai.Quirks{CacheMarks: true}}),
		"chat, quirks": openai.New(openai.Options{Endpoint: at, Quirks: openai.Quirks{
			KeepThinking: true, PadThinking: true, Alternate: true, CacheKey: true}}),
		"responses": responses.New(responses.Options{Endpoint: at}),
		"anthropic": anthropic.New(anthropic.Options{Endpoint: at, Strict: true}),
	} {
		random := rand.New(rand.NewPCG(7, 7))
		histories := make([][]llm.Message, 10)
		for step := range steps {
			at := random.IntN(len(histories))
			h := slices.Clone(histories[at])
			switch n := len(h); {
			case n > 4 && random.IntN(10) == 0: // a compaction or a rewind
				h = append(h[:1:1], h[n/2:]...)
			case n > 0 && random.IntN(8) == 0: // a result is pruned
				i := random.IntN(n)
				h[i].Text, h[i].IsError = fmt.Sprintf("[%d bytes removed]", len(h[i].Text)), h[i].Kind == llm.ToolResult && i%2 == 0
			}
			id := fmt.Sprint("call", at, "x", step)
			h = append(h, llm.Message{Kind: llm.User, Text: fmt.Sprintf("step %d <of> \"%d\"", step, at)},
				llm.Message{Kind: llm.Thinking, Text: "so & so", Reply: id, Opaque: &llm.Opaque{Dialect: "anthropic", Model: "m", Data: fmt.Appendf(nil, `{"signature":"s%d"}`, step)}}, llm.Message{Kind: llm.Assistant, Text: "I read it.", Reply: id},
				llm.Message{Kind: llm.ToolCall, ID: id, Name: "read", Input: []byte(`{"path":"a<b"}`), Reply: id},
				llm.Message{Kind: llm.ToolResult, ID: id, Text: fmt.Sprintf("line %d\n", step), Images: images(step)})
			histories[at] = h
			req := llm.Request{Model: "m", System: fmt.Sprint("You are ", at%2), Messages: h, CacheKey: "k", Tools: toolsOf(random.IntN(5)), Schema: schemaOf(step)}
			want, err := p.Body(req)
			if err != nil {
				t.Fatal(err)
			}
			body = nil
			for range p.Stream(t.Context(), req) { // the reply is one of Chat Completions
			}
			if string(body) != string(want) {
				t.Fatalf("%s: step %d: sent\n%s\nwant\n%s", name, step, body, want)
			}
		}
	}
}

// toolsOf returns one of five lists of tools that differ in one part.
func toolsOf(n int) []llm.ToolSpec {
	t := llm.ToolSpec{Name: "read", Description: "Reads <a> file.", Schema: []byte(`{"type":"object"}`)}
	switch n {
	case 1:
		t.Description = "Reads."
	case 2:
		t.Schema = []byte(`{"type":"object","properties":{"a":{"type":"string","description":"x < y"}}}`)
	case 3:
		return append(toolsOf(0), llm.ToolSpec{Name: "write", Schema: t.Schema})
	case 4:
		return nil
	}
	return []llm.ToolSpec{t}
}

// schemaOf returns a schema for the answer that looks like the place of the tools in a request.
func schemaOf(step int) []byte {
	if step%3 > 0 {
		return nil
	}
	return []byte(`{"enum":[{"type":"place of the tools"}]}`)
}

func images(step int) []llm.Image {
	if step%7 != 0 {
		return nil
	}
	return []llm.Image{{MediaType: "image/png", Data: []byte{1, 2, byte(step)}}}
}
