package export_test

import (
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// An export is for the user: it omits the advice that only the model needs.
func TestFailedCallsShowTheErrorForTheUser(t *testing.T) {
	s := newScript()
	s.reply = "r_1"
	s.user("read it")
	s.call("c1", "read", `{"path":"nope.go"}`, event.ToolEnd{Title: "read nope.go", Outcome: event.Failed, Error: "nope.go does not exist",
		Result: llm.Message{Text: "nope.go does not exist. Use glob or list to find it."}})
	for _, format := range []string{"md", "html"} {
		got := write(t, format, s.session())
		if !strings.Contains(got, "nope.go does not exist") || strings.Contains(got, "Use glob") {
			t.Errorf("%s: want the error for the user instead of the result:\n%s", format, got)
		}
	}
}

// A rejected edit shows the diff that the user rejected, and that it was not written.
func TestRejectedEditsShowTheProposedDiff(t *testing.T) {
	s := newScript()
	s.reply = "r_1"
	s.user("change it")
	s.call("c1", "edit", `{"edits":[{"path":"a.go","old":"one","new":"two"}]}`, event.ToolEnd{Title: "edit a.go", Effect: "write", Outcome: event.Refused,
		Result:   llm.Message{Text: "rejected by the user"},
		Proposed: []event.Diff{{Path: "a.go", Added: 1, Removed: 1, Unified: "@@ -1 +1 @@\n-one\n+two\n"}}})
	for format, want := range map[string][]string{
		"md":   {"`a.go` +1 −1, not written\n", "```diff\n@@ -1 +1 @@\n-one\n+two\n"},
		"html": {`<figcaption><code>a.go</code> <span class="amounts">&#43;1 −1, not written</span></figcaption>`, "-one\n", "+two\n"},
	} {
		got := write(t, format, s.session())
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in\n%s", format, w, got[strings.LastIndex(got, "edit a.go"):])
			}
		}
		if strings.Contains(got, "Arguments") {
			t.Errorf("%s: the arguments repeat the diff", format)
		}
	}
}
