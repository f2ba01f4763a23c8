package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools/shell/sandbox"
)

// After kill -9 of the program in the middle of a command, agent undo restores what the
// command had removed.
func TestUndoAfterKill(t *testing.T) {
	t.Parallel()
	if !sandbox.Probe().Notify {
		t.Skip("this system does not report file changes by commands")
	}
	h := newHome(t, map[string]string{
		"src/a.txt": "alpha\n", "src/sub/b.txt": "beta\n", "kept.txt": "kept\n",
		"change.sh": "rm -rf src\necho more >> kept.txt\ntouch half\nsleep 600\n",
	})
	cmd := h.command("run", "--mode", "all", "run sh change.sh")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { _, _ = cmd.Process.Kill(), cmd.Wait() }
	t.Cleanup(kill)
	waitFor(t, "the command", func() bool {
		_, err := os.Stat(filepath.Join(h.work, "half"))
		return err == nil
	})
	kill()
	if out, code := h.agent(t, "undo", "--yes"); code != 0 || !strings.Contains(out, "4 files, +1 −2") {
		t.Fatalf("exit code %d: %s", code, out)
	}
	for name, want := range map[string]string{"src/a.txt": "alpha\n", "src/sub/b.txt": "beta\n", "kept.txt": "kept\n"} {
		if got := read(t, h, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(h.work, "half")); err == nil {
		t.Error("the file that the command created is still there")
	}
	// The session is complete: the call that was cut off has its result, then the undo.
	checkSessions(t, h)
}
