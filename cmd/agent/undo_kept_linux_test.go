package main

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"

	"agent/internal/tools/shell/sandbox"
)

// After kill -9 of the program while a command removes files, each file is in the tree or in the store,
// and never in both.
func TestUndoAfterKillDuringRemoval(t *testing.T) {
	t.Parallel()
	if !sandbox.Probe().Notify {
		t.Skip("this system does not report file changes by commands")
	}
	const count = 1000
	name := func(i int) string { return fmt.Sprintf("src/%d/%d", i%10, i) }
	for _, after := range []int{1, 100, 500} {
		files := map[string]string{"change.sh": "rm -rf src\n"}
		for i := range count {
			files[name(i)] = fmt.Sprintf("file %d\n", i)
		}
		h := newHome(t, files)
		cmd := h.command("run", "--mode", "all", "run sh change.sh")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := func() { _, _ = cmd.Process.Kill(), cmd.Wait() }
		t.Cleanup(kill)
		waitFor(t, "the removal", func() bool {
			kept, _ := filepath.Glob(filepath.Join(filepath.Dir(h.store().UndoPath("x")), "*.kept", "*"))
			return len(kept) >= after
		})
		kill()
		out, code := h.agent(t, "undo", "--yes")
		if code != 0 {
			t.Fatalf("killed after %d files: exit code %d: %s", after, code, out)
		}
		for i := range count {
			if got := read(t, h, name(i)); got != files[name(i)] {
				t.Fatalf("killed after %d files: %s: got %q", after, name(i), got)
			}
			var info syscall.Stat_t
			if err := syscall.Lstat(filepath.Join(h.work, name(i)), &info); err != nil || info.Nlink != 1 {
				t.Errorf("killed after %d files: %s has %d links, %v", after, name(i), info.Nlink, err)
			}
		}
	}
}
