package llm_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// BenchmarkDecode measures the cost of a delta, which must not grow with their
// number.
func BenchmarkDecode(b *testing.B) {
	for _, d := range dialects() {
		for _, n := range []int{1_000, 100_000} {
			b.Run(fmt.Sprint(d.name, "/", n), func(b *testing.B) {
				body := d.long(n)
				b.ReportAllocs()
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					for _, err := range d.decode(bytes.NewReader(body)) {
						if err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/delta")
			})
		}
	}
}

// BenchmarkStream is BenchmarkDecode with a server.
func BenchmarkStream(b *testing.B) {
	const n = 10_000
	for _, d := range dialects() {
		b.Run(d.name, func(b *testing.B) {
			body := d.long(n)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(body) }))
			defer server.Close()
			p := d.open(wire.Endpoint{Base: server.URL})
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
		})
	}
}

// BenchmarkNewRequest encodes the request of a long session: 300 messages,
// about 1 MB.
func BenchmarkNewRequest(b *testing.B) {
	for _, d := range dialects() {
		b.Run(d.name, func(b *testing.B) {
			req := longSession()
			b.ReportAllocs()
			for b.Loop() {
				body, err := d.request(req)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(body)))
			}
		})
	}
}

// longSession returns a request with 20 tools and the content of 100 files.
func longSession() llm.Request {
	req := llm.Request{Model: "m", System: strings.Repeat("You are an assistant. ", 400)}
	for i := range 20 {
		req.Tools = append(req.Tools, llm.ToolSpec{Name: fmt.Sprint("tool", i), Description: strings.Repeat("It does something. ", 30),
			Schema: []byte(`{"type":"object","properties":{"path":{"type":"string","description":"the file"}},"required":["path"],"additionalProperties":false}`)})
	}
	code := strings.Repeat("\tif err != nil && a < b {\n\t\treturn fmt.Errorf(\"read: %w\", err)\n\t}\n", 140)
	for i := range 100 {
		id := fmt.Sprint("c", i)
		req.Messages = append(req.Messages, llm.Message{Kind: llm.Assistant, Reply: id, Text: "I read it."},
			llm.Message{Kind: llm.ToolCall, Reply: id, ID: id, Name: "read", Input: []byte(`{"path":"a/b/c.go"}`)},
			llm.Message{Kind: llm.ToolResult, Reply: id, ID: id, Text: code})
	}
	return req
}

// TestDecodeCost limits the allocations and bytes per delta, which do not
// depend on the machine, for short and long responses.
func TestDecodeCost(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	eachDialect(t, func(t *testing.T, d dialect) {
		for _, n := range []int{1_000, 20_000} {
			body := d.long(n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range d.decode(bytes.NewReader(body)) {
			}
			runtime.ReadMemStats(&after)
			allocs, size := (after.Mallocs-before.Mallocs)/uint64(n), (after.TotalAlloc-before.TotalAlloc)/uint64(n)
			if allocs > 20 || size > 2<<10 {
				t.Errorf("of %d deltas, one costs %d allocations and %d bytes, want at most 20 and 2 KiB", n, allocs, size)
			}
		}
	})
}

// longOpenAI returns a stream of n deltas: thinking, text, a call.
func longOpenAI(n int) []byte {
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

// longResponses returns a stream of n deltas: thinking, text, a call.
func longResponses(n int) []byte {
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

// longAnthropic returns a stream of n deltas: thinking, text, a call.
func longAnthropic(n int) []byte {
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
