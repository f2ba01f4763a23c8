package openai

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// BenchmarkDecode measures a delta: its time must not grow with their number.
func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			body := long(n)
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				for _, err := range Decode(bytes.NewReader(body)) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/delta")
		})
	}
}

// BenchmarkStream is BenchmarkDecode through a server and the library.
func BenchmarkStream(b *testing.B) {
	const n = 10_000
	body := long(n)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(body) }))
	defer server.Close()
	p := New(Options{Endpoint: wire.Endpoint{Base: server.URL}})
	defer p.Close()
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range p.Stream(b.Context(), llm.Request{Model: "m"}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/delta")
}

// TestDecodeCost holds the price of a delta in allocations, which unlike time
// is the same on every machine.
func TestDecodeCost(t *testing.T) {
	const n = 2_000
	body := long(n)
	got := testing.AllocsPerRun(3, func() {
		for range Decode(bytes.NewReader(body)) {
		}
	}) / n
	if got > 20 {
		t.Errorf("a delta costs %.1f allocations, want at most 20", got)
	}
}

// long is a stream of n deltas: thinking, text, a call.
func long(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		delta := `"content":" word"`
		switch {
		case i < n/4:
			delta = `"reasoning":" word","reasoning_details":[{"type":"reasoning.text","text":" word","index":0}]`
		case i > 3*n/4:
			delta = `"tool_calls":[{"index":0,"function":{"arguments":" "}}]`
		case i == 3*n/4:
			delta = `"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]`
		}
		fmt.Fprintf(&b, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"test","choices":[{"index":0,"delta":{%s},"logprobs":null,"finish_reason":null}]}`+"\n\n", delta)
	}
	b.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	return b.Bytes()
}

// BenchmarkNewRequest measures the request of a long conversation.
func BenchmarkNewRequest(b *testing.B) {
	var req llm.Request
	for i := range 20 {
		req.Tools = append(req.Tools, llm.ToolSpec{Name: fmt.Sprint("tool", i), Description: strings.Repeat("It does something. ", 30),
			Schema: []byte(`{"type":"object","properties":{"path":{"type":"string","description":"what it is done to"}},"required":["path"],"additionalProperties":false}`)})
	}
	for i := range 100 {
		req.Messages = append(req.Messages, llm.Message{Kind: llm.User, Text: "go on"},
			llm.Message{Kind: llm.Assistant, Reply: fmt.Sprint(i), Text: strings.Repeat("\tif err != nil {\n\t\treturn fmt.Errorf(\"read: %w\", err)\n\t}\n", 160)})
	}
	var w writer
	b.ReportAllocs()
	for n := 2; b.Loop(); n = n%len(req.Messages) + 2 { // turn by turn
		said := req
		said.Messages = req.Messages[:n]
		if _, err := w.request(said, Quirks{Strict: true}); err != nil {
			b.Fatal(err)
		}
	}
}
