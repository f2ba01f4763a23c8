package anthropic

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
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

// BenchmarkStream is BenchmarkDecode through a server.
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

// BenchmarkNewRequest measures the requests of a conversation of 250 steps.
func BenchmarkNewRequest(b *testing.B) {
	req := llm.Request{Model: "claude-sonnet-5", System: "s"}
	for i := range 250 {
		req.Messages = append(req.Messages, step(i)...)
	}
	b.ReportAllocs()
	var w writer
	for n := 4; b.Loop(); n = n%len(req.Messages) + 4 { // step by step
		said := req
		said.Messages = req.Messages[:n]
		if _, err := w.request(said); err != nil {
			b.Fatal(err)
		}
	}
}

// TestDecodeCost holds the price of a delta in allocations and bytes, which
// unlike time are the same on every machine, for short and long answers alike.
func TestDecodeCost(t *testing.T) {
	for _, n := range []int{1_000, 20_000} {
		body := long(n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range Decode(bytes.NewReader(body)) {
		}
		runtime.ReadMemStats(&after)
		allocs, size := (after.Mallocs-before.Mallocs)/uint64(n), (after.TotalAlloc-before.TotalAlloc)/uint64(n)
		if allocs > 20 || size > 2<<10 {
			t.Errorf("of %d deltas, one costs %d allocations and %d bytes, want at most 20 and 2 KiB", n, allocs, size)
		}
	}
}

// long is a stream of n deltas: thinking, text, a call.
func long(n int) []byte {
	var b bytes.Buffer
	event := func(kind, format string, args ...any) {
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q,"+format+"}\n\n", append([]any{kind, kind}, args...)...)
	}
	event("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}`)
	for i := range n {
		at := i * 3 / n
		if i == 0 || at != (i-1)*3/n {
			if at > 0 {
				event("content_block_stop", `"index":%d`, at-1)
			}
			block := []string{`{"type":"thinking","thinking":"","signature":""}`, `{"type":"text","text":""}`, `{"type":"tool_use","id":"a","name":"read","input":{}}`}
			event("content_block_start", `"index":%d,"content_block":%s`, at, block[at])
		}
		delta := []string{`{"type":"thinking_delta","thinking":" word"}`, `{"type":"text_delta","text":" word"}`, `{"type":"input_json_delta","partial_json":" "}`}
		event("content_block_delta", `"index":%d,"delta":%s`, at, delta[at])
	}
	event("content_block_stop", `"index":2`)
	event("message_delta", `"delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":9}`)
	event("message_stop", `"x":0`)
	return b.Bytes()
}
