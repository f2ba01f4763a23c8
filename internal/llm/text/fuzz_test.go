package text_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/text"
)

// FuzzDecode checks that the result does not depend on the pieces, that a text
// without markers has no calls, and that everything can be encoded again.
func FuzzDecode(f *testing.F) {
	for _, rows := range []map[string]row{taggedRows(), reactRows()} {
		for _, row := range rows {
			f.Add(row.in, 3)
		}
	}
	f.Fuzz(func(t *testing.T, in string, width int) {
		in = strings.ToValidUTF8(in, "?")
		width = 1 + int(uint(width)%7)
		var pieces []string
		for rest := in; rest != ""; {
			n := min(len(rest), width)
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		for form, word := range map[text.Form]string{text.Tagged: "<tool_call>", text.ReAct: "Action Input:"} {
			whole := decode(form, llm.Stop, in)
			if diff := cmp.Diff(decode(form, llm.Stop, pieces...), whole); diff != "" {
				t.Errorf("%s: in pieces, whole:\n%s", form, diff)
			}
			if whole.Reason == llm.Calls && !strings.Contains(in, word) {
				t.Errorf("%s: %q came of nothing", form, whole.Said)
			}
			req := text.NewRequest(llm.Request{Messages: []llm.Message{{Kind: llm.ToolCall, ID: "a", Name: in, Raw: in, Input: json.RawMessage("{}")}}}, form)
			if len(req.Messages) != 2 {
				t.Errorf("%s: a call and its result became %d messages", form, len(req.Messages))
			}
		}
	})
}
