package wiretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"agent/internal/llm"
)

// conversations are requests as they follow one another: a conversation grows,
// is taken back, goes another way, is changed in its middle, and another one is
// led beside it.
func conversations() []llm.Request {
	changed := spoken(12, "a")
	changed[5].Text = "[cut: it was long]"
	var requests []llm.Request
	for _, msgs := range [][]llm.Message{
		spoken(1, "a"), spoken(2, "a"), spoken(12, "a"), spoken(12, "a"), spoken(3, "a"), spoken(4, "b"), nil,
		changed, spoken(12, "a"), spoken(2, "a"),
	} {
		req := llm.Request{Model: "m", System: "s", Messages: msgs}
		for i := range len(msgs) % 3 {
			req.Tools = append(req.Tools, llm.ToolSpec{Name: fmt.Sprint("tool", i)})
		}
		requests = append(requests, req)
	}
	return requests
}

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

// Kept fails where kept, which keeps something of the requests that it wrote
// before, does not write the same as fresh, or changes afterwards what it wrote.
// Two lead the same conversations at once.
func Kept(t *testing.T, kept func(llm.Request) ([][]byte, error), fresh func(llm.Request) ([]byte, error)) {
	t.Helper()
	requests := conversations()
	var all sync.WaitGroup
	defer all.Wait()
	for range 2 {
		all.Go(func() {
			var was [][][]byte
			for i, req := range requests {
				got, err := kept(req)
				if was = append(was, got); err != nil {
					t.Errorf("request %d: %v", i, err)
				}
			}
			for i, parts := range was {
				got := bytes.Join(parts, nil)
				want, err := fresh(requests[i])
				if err != nil || !bytes.Equal(got, want) || !json.Valid(want) {
					t.Errorf("request %d, %v: got %.200s, want %.200s", i, err, got, want)
				}
			}
		})
	}
}
