package wire

import (
	"encoding/json"
	"fmt"
	"testing"

	"agent/internal/llm"
)

// Each message of a conversation is encoded once, also if another conversation is encoded meanwhile,
// and those before a changed message are not encoded again. A marked message is encoded for its mark.
func TestEachMessageIsEncodedOnce(t *testing.T) {
	encoded := 0
	e := NewEncoder(func(text string, marked bool) ([]byte, error) {
		encoded++
		return json.Marshal(fmt.Sprint(text, marked))
	})
	encode := func(msgs []llm.Message, mark int) int {
		t.Helper()
		encoded = 0
		out, err := e.Append(nil, "key", msgs, 0, func(l *List[string]) {
			for group := range l.Groups() {
				for _, m := range group {
					l.Add(m.Text)
				}
			}
			if mark >= 0 {
				l.Mark(mark)
			}
		})
		want := []string{}
		for i, m := range msgs {
			want = append(want, fmt.Sprint(m.Text, i == mark))
		}
		if text, _ := json.Marshal(want); err != nil || string(out) != string(text) {
			t.Fatalf("got %s, %v, want %s", out, err, text)
		}
		return encoded
	}
	step := func(name string) []llm.Message {
		return []llm.Message{
			{Kind: llm.ToolCall, Reply: name, ID: name, Text: "call " + name},
			{Kind: llm.ToolResult, Reply: name, ID: name, Text: "result " + name},
		}
	}
	var msgs, other []llm.Message
	for i := range 100 {
		msgs, other = append(msgs, step(fmt.Sprint(i))...), append(other, step(fmt.Sprint("other", i))...)
		if n := encode(msgs, len(msgs)-1); n != 3 {
			t.Errorf("step %d encoded %d messages, want the two that are new and the marked one", i, n)
		}
		if n := encode(other, -1); n != 2 {
			t.Errorf("step %d of the other conversation encoded %d messages, want the two that are new", i, n)
		}
	}
	msgs[len(msgs)-9].Text = "pruned"
	if n := encode(msgs, -1); n != 10 {
		t.Errorf("after a change in the fifth last step, %d messages were encoded, want the 10 of the last five", n)
	}
	if n := encode(msgs[:150], -1); n != 0 {
		t.Errorf("after a rewind, %d messages were encoded, want none", n)
	}
}
