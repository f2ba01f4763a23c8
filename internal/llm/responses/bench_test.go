package responses

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
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
		typ, at := "response.output_text.delta", 1
		switch {
		case i < n/4:
			typ, at = "response.reasoning_summary_text.delta", 0
		case i > 3*n/4:
			typ, at = "response.function_call_arguments.delta", 2
		}
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q,\"sequence_number\":%d,\"item_id\":\"msg_0123456789abcdef0123456789abcdef\","+
			"\"output_index\":%d,\"content_index\":0,\"delta\":\" word\",\"logprobs\":[],\"obfuscation\":\"0123456789\"}\n\n", typ, typ, i, at)
	}
	b.WriteString(`data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n")
	return b.Bytes()
}
