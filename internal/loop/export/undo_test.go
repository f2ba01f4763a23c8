package export_test

import (
	"strings"
	"testing"

	"agent/internal/loop/event"
)

// A document names the paths that an undo left as they are, and files that were deleted.
func TestMarkdownOfUndoAndDeletion(t *testing.T) {
	s := newScript()
	s.user("first")
	s.call("c1", "shell", `{"command":"rm old.go"}`, event.ToolEnd{Title: "shell rm old.go", Outcome: event.OK, Diffs: []event.Diff{{Path: "old.go", Deleted: true, Removed: 1, Unified: "@@ -1 +0,0 @@\n-x\n"}}})
	s.add(&event.Undone{Meta: s.meta(), Restored: []string{"a.go"}, Conflicts: []string{"b.go"}})
	got := write(t, "md", s.session())
	for _, want := range []string{"+0 −1, deleted", "Undone: 1 path restored; left as they are, because they were changed since: b.go"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %s", want, got)
		}
	}
}
