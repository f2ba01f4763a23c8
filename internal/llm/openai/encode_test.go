package openai_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/llm/wire"
)

// A provider encodes each message and the tools once. What it sends equals a request that is encoded anew,
// also if messages were changed or removed since, and if several conversations alternate.
func TestRequestsAreEncodedAsAnew(t *testing.T) {
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	for _, q := range []openai.Quirks{{}, {CacheMarks: true}, {KeepThinking: true, PadThinking: true, Alternate: true, CacheKey: true}} {
		random := rand.New(rand.NewPCG(7, 7))
		p := openai.New(openai.Options{Endpoint: wire.Endpoint{Base: server.URL}, Quirks: q})
		histories := make([][]llm.Message, 10)
		for step := range 400 {
			at := random.IntN(len(histories))
			h := slices.Clone(histories[at])
			switch n := len(h); {
			case n > 4 && random.IntN(10) == 0: // a compaction or a rewind
				h = append(h[:1:1], h[n/2:]...)
			case n > 0 && random.IntN(8) == 0: // a result is pruned
				i := random.IntN(n)
				h[i].Text = fmt.Sprintf("[%d bytes removed]", len(h[i].Text))
			}
			id := fmt.Sprint("call", at, "x", step)
			h = append(h, llm.Message{Kind: llm.User, Text: fmt.Sprintf("step %d <of> \"%d\"", step, at)},
				llm.Message{Kind: llm.Thinking, Text: "so & so", Reply: id}, llm.Message{Kind: llm.Assistant, Text: "I read it.", Reply: id},
				llm.Message{Kind: llm.ToolCall, ID: id, Name: "read", Input: []byte(`{"path":"a<b"}`), Reply: id},
				llm.Message{Kind: llm.ToolResult, ID: id, Text: fmt.Sprintf("line %d\n", step), Images: images(step)})
			histories[at] = h
			req := llm.Request{Model: "m", System: fmt.Sprint("You are ", at%2), Messages: h, CacheKey: "k", Tools: toolsOf(random.IntN(5)), Schema: schemaOf(step)}
			want, err := p.Body(req)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range p.Stream(t.Context(), req) {
				if err != nil {
					t.Fatal(err)
				}
			}
			if string(body) != string(want) {
				t.Fatalf("step %d: sent\n%s\nwant\n%s", step, body, want)
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
