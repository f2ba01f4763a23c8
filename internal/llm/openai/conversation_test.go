package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"agent/internal/llm"
)

// spoken is a conversation of so many steps, with calls, images and thinking.
func spoken(steps int, word string) []llm.Message {
	msgs := []llm.Message{{Kind: llm.User, Text: "begin"}}
	for i := range steps {
		reply := fmt.Sprint(word, i)
		msgs = append(msgs, llm.Message{Kind: llm.Assistant, Reply: reply, Text: strings.Repeat(word+"\n", i)})
		if i%2 == 0 {
			msgs = append(msgs, llm.Message{Kind: llm.ToolCall, Reply: reply, ID: reply, Name: "read", Input: json.RawMessage(`{"path":"a"}`)},
				llm.Message{Kind: llm.ToolResult, Reply: reply, ID: reply, Text: "<" + word + ">"})
		}
		if i%3 == 0 {
			msgs = append(msgs, llm.Message{Kind: llm.User, Text: "look", Images: []llm.Image{{MediaType: "image/png", Data: []byte{byte(i)}}}})
		}
	}
	return msgs
}

// What is kept of the requests before changes none that follows, nor itself:
// where a conversation grows, is taken back, goes another way or is changed in
// its middle, and where another one is led beside it.
func TestRequestsAreKept(t *testing.T) {
	changed := spoken(12, "a")
	changed[5].Text = "[cut: it was long]"
	requests := []llm.Request{}
	for _, msgs := range [][]llm.Message{
		spoken(1, "a"), spoken(2, "a"), spoken(12, "a"), spoken(12, "a"), spoken(3, "a"), spoken(4, "b"), nil,
		changed, spoken(12, "a"), {{Kind: llm.User, Text: strings.Repeat("long ", maxKept/4)}}, spoken(2, "a"),
	} {
		req := llm.Request{Model: "m", System: "s", Messages: msgs}
		for i := range len(msgs) % 3 {
			req.Tools = append(req.Tools, llm.ToolSpec{Name: fmt.Sprint("tool", i)})
		}
		requests = append(requests, req)
	}
	var w writer
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			var was [][][]byte
			for i, req := range requests {
				got, err := w.request(req, Quirks{})
				if was = append(was, got); err != nil {
					t.Errorf("request %d: %v", i, err)
				}
			}
			for i, got := range was {
				want, err := NewRequest(requests[i], Quirks{})
				if err != nil || !bytes.Equal(bytes.Join(got, nil), want) || !json.Valid(want) {
					t.Errorf("request %d, %v: got %.200s, want %.200s", i, err, bytes.Join(got, nil), want)
				}
			}
		})
	}
	all.Wait()
	bad := llm.Request{Tools: []llm.ToolSpec{{Name: "bad", Schema: json.RawMessage(`{`)}}}
	if _, err := w.request(bad, Quirks{}); err == nil {
		t.Error("a schema that is no JSON passes")
	}
}
