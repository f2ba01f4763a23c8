package window_test

import (
	"encoding/json"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/window"
)

// A result of read becomes a reference to the lines of the file, not to a copy of them. The results
// of the last reply stay.
func TestReadsBecomeReferencesToLines(t *testing.T) {
	long := strings.Repeat("a line of text\n", 300)
	numbered := "5\t" + strings.ReplaceAll(long, "\n", "\n6\t") + "end\n[lines 5-6 of 900, limit 50 KB; continue with offset 7]\n"
	call := func(id, reply, name, args string) llm.Message {
		return llm.Message{Kind: llm.ToolCall, ID: id, Reply: reply, Name: name, Input: json.RawMessage(args)}
	}
	result := func(id, text string) llm.Message { return llm.Message{Kind: llm.ToolResult, ID: id, Text: text} }
	msgs := []llm.Message{
		{Kind: llm.User, Text: "go"},
		call("1", "r1", "read", `{"path":"src/a.go"}`), result("1", numbered),
		call("2", "r1", "shell", `{"command":"x"}`), result("2", long),
		call("3", "r2", "read", `{"path":"b.go"}`), result("3", numbered),
		call("4", "r3", "edit", `{"path":"b.go"}`), result("4", "changed b.go"),
		call("5", "r4", "read", `{"path":"c.go"}`), result("5", numbered),
	}
	out, _, originals := window.Apply(msgs, window.Marks{}, &event.Compacted{Step: event.CompactResults, Replies: 1, Outputs: "/out"})
	got := map[string]string{}
	for _, m := range out {
		if m.Kind == llm.ToolResult {
			got[m.ID] = m.Text
		}
	}
	for id, want := range map[string]string{
		"1": "[truncated: lines 5-6 of src/a.go. Read the lines you need again.]",
		"3": "[truncated: lines 5-6 of b.go, which was read again or changed later.]",
		"5": numbered,
	} {
		if got[id] != want {
			t.Errorf("result %s: got %.200q, want %.200q", id, got[id], want)
		}
	}
	if len(originals) != 1 || originals[0].Text != long || !strings.Contains(got["2"], " Full text: /out/") {
		t.Errorf("%d originals, and the output of the command became %.200q", len(originals), got["2"])
	}
}
