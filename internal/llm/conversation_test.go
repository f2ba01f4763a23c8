package llm_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
)

func TestByReply(t *testing.T) {
	msgs := []llm.Message{
		{Kind: llm.ToolResult, ID: "0", Text: "of nothing"},
		{Kind: llm.User, Text: "one"}, {Kind: llm.User, Text: "two"},
		{Kind: llm.Thinking, Reply: "a", Text: "hm"}, {Kind: llm.ToolCall, Reply: "a", ID: "1"}, {Kind: llm.ToolResult, ID: "1", Text: "r"},
		{Kind: llm.ToolCall, Reply: "a", ID: "2"},
		{Kind: llm.User, Text: "three"}, {Kind: llm.ToolResult, ID: "2", Text: "late"}, {Kind: llm.ToolResult, ID: "2", Text: "later"},
		{Kind: llm.Assistant, Reply: "b", Text: "x"}, {Kind: llm.Assistant, Reply: "c", Text: "y"},
	}
	var got [][]string
	for _, said := range llm.ByReply(msgs) {
		var texts []string
		for _, m := range said {
			texts = append(texts, m.ID+m.Text)
		}
		got = append(got, texts)
	}
	if d := cmp.Diff(got, [][]string{{"one"}, {"two"}, {"hm", "1", "1r", "2"}, {"three"}, {"x"}, {"y"}}); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
	if got := llm.Results(msgs)["2"]; got == nil || got.Text != "late" {
		t.Errorf("got %v, want the first result", got)
	}
}
