//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a delegate changes belongs to the turn that started it: in the workspace, and in a
// worktree whose changes were applied.
func TestUndoOfADelegate(t *testing.T) {
	for name, task := range map[string]string{"in a worktree": isolatedTask, "in the workspace": `{"agent":"general","prompt":"change it"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := editing()
			answers[0] = call("delegate", task)
			answers[1] = call("read", `{"path":"main.go"}`)
			s := serve(t, answers...)
			h := isolatedHome(t, s)
			out, code := h.agent(t, "run", "--model", "openai/m", "--mode", "auto", "--output", "json", "change it")
			if code != 0 || !strings.Contains(out, `"files_changed":{"files":2,`) || !strings.Contains(read(t, h, "main.go"), "goodbye") {
				t.Fatalf("exit code %d: %s", code, out)
			}
			out, code = h.agent(t, "undo", "--yes")
			if code != 0 || !strings.Contains(out, "Undo turn 1: change it · 2 files") || strings.Contains(out, ".local") {
				t.Errorf("exit code %d: %s", code, out)
			}
			if got := read(t, h, "main.go"); got != goFile {
				t.Errorf("got %q", got)
			}
			if _, err := os.Stat(filepath.Join(h.work, "new")); err == nil {
				t.Error("the directory that the delegate created is still there")
			}
		})
	}
}
