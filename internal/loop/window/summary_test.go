package window_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/window"
)

// A summary replaces everything but the messages of the user, what is pinned and the last
// reply. A pinned call that has no result is replaced too.
func TestSummaryKeepsPinnedMessages(t *testing.T) {
	msgs := []llm.Message{
		{Kind: llm.User, Text: "fix it"},
		{Kind: llm.Assistant, Reply: "r1", Text: "a remark"},
		{Kind: llm.ToolCall, Reply: "r1", ID: "c1", Name: "read", Input: []byte(`{"path":"a"}`)},
		{Kind: llm.ToolResult, Reply: "r1", ID: "c1", Text: "text of a"},
		{Kind: llm.Assistant, Reply: "r2", Text: "a pinned remark"},
		{Kind: llm.ToolCall, Reply: "r2", ID: "c2", Name: "read", Input: []byte(`{"path":"b"}`)},
		{Kind: llm.ToolResult, Reply: "r2", ID: "c2", Text: "text of b"},
		{Kind: llm.ToolCall, Reply: "r2", ID: "c3", Name: "read", Input: []byte(`{"path":"c"}`)},
		{Kind: llm.Assistant, Reply: "r3", Text: "done"},
	}
	pins := []string{"c2", "c3"}
	for _, item := range window.Items(msgs, window.Marks{}, 0) {
		if item.Text == "a pinned remark" {
			pins = append(pins, item.ID)
		}
	}
	var marks window.Marks
	for _, id := range pins {
		_, marks, _ = window.Apply(msgs, marks, &event.Compacted{Step: event.CompactPin, Item: id})
	}
	out, marks, _ := window.Apply(msgs, marks, &event.Compacted{Step: event.CompactSummary, Replies: 1, Text: " the summary\n"})
	var got []string
	for _, m := range out {
		_, text, isSummary := strings.Cut(m.Text, "]\n")
		if !isSummary {
			text = m.Text
		}
		got = append(got, strings.TrimSpace(string(m.Kind)+": "+m.ID+" "+text))
	}
	if d := cmp.Diff(got, []string{"user:  fix it", "assistant:  a pinned remark", "tool_call: c2", "tool_result: c2 text of b", "user:  the summary", "assistant:  done"}); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	if got := window.SummaryOf(out); got != "the summary" {
		t.Errorf("the summary is %q", got)
	}
	back, _, _ := window.Apply(out, marks, &event.Compacted{Step: event.CompactUndo})
	if d := cmp.Diff(back, msgs); d != "" {
		t.Errorf("after undo, got (-), want (+):\n%s", d)
	}
}
