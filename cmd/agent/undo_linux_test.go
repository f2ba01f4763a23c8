package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/history/blobs"
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

// A command ends a moment after the program that was killed, and changes files until then:
// undo waits for it.
func TestUndoWaitsForTheCommandOfAKilledProgram(t *testing.T) {
	t.Parallel()
	if !sandbox.Probe().Notify {
		t.Skip("this system does not report file changes by commands")
	}
	h := newHome(t, map[string]string{"a.txt": "alpha\n", "change.sh": "echo beta > a.txt\n"})
	if out, code := h.agent(t, "run", "--mode", "all", "run sh change.sh"); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	id := h.ids(t)[0]
	pack, err := blobs.Open(h.store().UndoPath(id), blobs.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pack.Close() })
	if err := pack.HoldForCommand(); err != nil { // as the supervisor of a command does
		t.Fatal(err)
	}
	h.put(t, "a.txt", "alpha\n") // the command has not yet done what was recorded of it
	cmd := h.command("undo", "--session", id, "--yes")
	out := new(strings.Builder)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	waitFor(t, "undo", func() bool { return hasOpen(t, cmd.Process.Pid, ".commands.lock") })
	h.put(t, "a.txt", "beta\n")
	_ = pack.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := read(t, h, "a.txt"); got != "alpha\n" {
		t.Errorf("got %q: %s", got, out)
	}
}

// An undo that was killed in the middle is finished by the next one, although the turn counts as
// undone.
func TestUndoOfAKilledUndo(t *testing.T) {
	t.Parallel()
	if !sandbox.Probe().Notify {
		t.Skip("this system does not report file changes by commands")
	}
	files := map[string]string{"change.sh": "for f in src/*; do echo evil > $f; done\n"}
	const count = 600
	for i := range count {
		files[fmt.Sprintf("src/%04d", i)] = "mine\n"
	}
	h := newHome(t, files)
	if out, code := h.agent(t, "run", "--mode", "all", "run sh change.sh"); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	changed := func() (n int) {
		for i := range count {
			if read(t, h, fmt.Sprintf("src/%04d", i)) != "mine\n" {
				n++
			}
		}
		return n
	}
	cmd := h.command("undo", "--yes")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	waitFor(t, "the undo", func() bool { return changed() < count })
	_, _ = cmd.Process.Kill(), cmd.Wait()
	if changed() == 0 {
		t.Skip("the undo was too fast")
	}
	if out, code := h.agent(t, "undo", "--yes"); code != 0 || changed() > 0 {
		t.Errorf("exit code %d, %d files are changed: %s", code, changed(), out)
	}
}

// A program that was killed while a tool wrote to a file with several hard links, or right after,
// leaves a file that agent undo restores.
func TestUndoOfAKilledEditInPlace(t *testing.T) {
	t.Parallel()
	s := serve(t, call("edit", `{"path":"a.txt","old":"user data","new":"x","replace_all":true}`), say("Done."))
	text := strings.Repeat("user data\n", 400_000)
	h := newHome(t, map[string]string{"a.txt": text}, at(s)...)
	if err := os.Link(filepath.Join(h.work, "a.txt"), filepath.Join(h.work, "b.txt")); err != nil {
		t.Fatal(err)
	}
	cmd := h.command("run", "--model", "openai/m", "--mode", "all", "edit it")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	f, err := os.Open(filepath.Join(h.work, "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	first := make([]byte, 1)
	waitFor(t, "the edit", func() bool {
		_, err := f.ReadAt(first, 0)
		return err == nil && first[0] == 'x'
	})
	_, _ = cmd.Process.Kill(), cmd.Wait()
	out, code := h.agent(t, "undo", "--yes")
	if code != 0 || read(t, h, "a.txt") != text || read(t, h, "b.txt") != text {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// hasOpen reports whether a process has a file of that name open.
func hasOpen(t *testing.T, pid int, name string) bool {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(f os.DirEntry) bool {
		path, _ := os.Readlink(filepath.Join(dir, f.Name()))
		return filepath.Base(path) == name
	})
}
