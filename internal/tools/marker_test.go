//go:build unix

package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"agent/internal/tools"
)

// A model that copies a note into a file destroys the text that the note stands for.
func TestNotesForTruncatedTextAreNotWritten(t *testing.T) {
	for _, note := range []string{"… [818 bytes, cut]", "… [truncated, 818 bytes]", "[truncated: the result had 3000 bytes. Full text: /out/c.txt.]", "… (15 bytes more)"} {
		ws, dir := newWorkspace(t, map[string]string{"a": "one\ntwo\n", "holds": "x " + note + " y\nthree\n"})
		for name, args := range map[string]obj{
			"write": {"path": "new", "content": "func f() {" + note},
			"edit":  {"path": "a", "old": "one", "new": "1" + note},
			"patch": patchOf("*** Update File: a", "-two", "+2 "+note),
		} {
			if _, err := call(t, ws, name, args); err == nil || !strings.Contains(err.Error(), "stands for text that was truncated") {
				t.Errorf("%s of %q: %v", name, note, err)
			}
		}
		if got := contents(t, dir); len(got) != 2 || got["a"] != "one\ntwo\n" {
			t.Errorf("%q: the files are %q", note, got)
		}
		// A file that holds the note may keep it.
		if _, err := call(t, ws, "edit", obj{"path": "holds", "old": "three", "new": "3"}); err != nil {
			t.Errorf("%q: %v", note, err)
		}
		if _, err := call(t, ws, "patch", patchOf("*** Update File: holds", "*** Move to: moved", "-3", "+4")); err != nil {
			t.Errorf("%q: %v", note, err)
		}
		commands := tools.Commands{Workspace: ws}
		for _, tool := range commands.Tools(tools.NewJobs()) {
			args, _ := json.Marshal(obj{"command": "cat > f <<'E'\n" + note + "\nE\n"})
			if tool.Spec().Name == "jobs" {
				args, _ = json.Marshal(obj{"action": "start", "command": "echo '" + note + "'"})
			}
			if _, err := tool.Prepare(t.Context(), args); err == nil || !strings.Contains(err.Error(), "the command contains") {
				t.Errorf("%s with %q: %v", tool.Spec().Name, note, err)
			}
		}
		if _, err := commands.Typed(nil)("echo '"+note+"'", true); err != nil {
			t.Errorf("the user's own command: %v", err)
		}
	}
}
