package tools_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/snapshot"
	"agent/internal/tools/snapshot/snapshottest"
)

// keep makes the commands of the workspace keep what they change in the store that it
// returns. It skips the test if this system cannot do that.
func (c *confined) keep(strict bool) (snapshottest.Store, tools.Approved) {
	c.t.Helper()
	if !sandbox.Probe().Notify {
		c.t.Skip("commands cannot be watched here")
	}
	store := snapshottest.Store(c.t.TempDir())
	return store, tools.Approved{Snapshot: &snapshot.Order{Call: "c1", Store: string(store), Roots: []string{c.dir}, MaxFile: 100, Strict: strict}}
}

// paths returns the paths that were kept, relative to the workspace.
func (c *confined) paths(store snapshottest.Store) string {
	c.t.Helper()
	all, err := store.Touched()
	if err != nil {
		c.t.Fatal(err)
	}
	var names []string
	for _, t := range all {
		names = append(names, strings.TrimPrefix(t.Path, c.dir+"/"))
	}
	return strings.Join(names, " ")
}

// A command whose change cannot be kept is blocked, unless its order is not strict.
func TestStrictCommandIsBlocked(t *testing.T) {
	c := confineAlways(t)
	store, ok := c.keep(true)
	put(t, filepath.Join(c.dir, "big"), strings.Repeat("x", 101))
	call, err := c.prepare("shell", map[string]any{"command": "echo x >small; echo x >big"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := call.Run(t.Context(), ok)
	if err != nil {
		t.Fatal(err)
	}
	big := filepath.Join(c.dir, "big")
	if d := cmp.Diff(r.Blocked, &tools.Blocked{Path: big, NotUndoable: "it is larger than 100 bytes"}); d != "" {
		t.Error(d)
	}
	if want := "[a change was refused, because it could not be undone: " + big + ": it is larger than 100 bytes. Do not work around it: if the change is needed, tell the user why]\n"; !strings.Contains(r.Text, want) {
		t.Errorf("the model reads:\n%s", r.Text)
	}
	call, err = c.prepare("shell", map[string]any{"command": "echo x >big || true"})
	if err != nil {
		t.Fatal(err)
	}
	if r, err = call.Run(t.Context(), ok); err != nil || r.Blocked != nil || !strings.Contains(r.Text, "[a change was refused") {
		t.Errorf("a command that succeeds: got %+v, %v", r, err)
	}
	ok.Snapshot.Strict = false
	r, err = call.Run(t.Context(), ok)
	if text, _ := os.ReadFile(big); err != nil || r.Blocked != nil || string(text) != "x\n" {
		t.Errorf("got %q, %+v, %v", text, r.Blocked, err)
	}
	if got := c.paths(store); got != "small big" {
		t.Errorf("kept %q", got)
	}
}

// Undo keeps nothing below .git, in any spelling, so a strict command cannot use it to change a
// file by a second name.
func TestStrictCommandUsesNoOtherSpellingOfGit(t *testing.T) {
	c := confineAlways(t)
	_, ok := c.keep(true)
	c.put("keep", "mine\n")
	c.put("target/.GIT/f", "")
	for _, line := range []string{"mkdir -p target/d/.gIt", "ln keep target/.GIT/h", "mkdir x && mv x target/.Git", "echo x >target/.GIT/f"} {
		call, err := c.prepare("shell", map[string]any{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := call.Run(t.Context(), ok); err != nil || r.Blocked == nil || r.Blocked.NotUndoable != "git directories are not kept" {
			t.Errorf("%s: got %+v, %v", line, r, err)
		}
	}
	if c.exists("target/.GIT/h") || c.exists("target/.Git") || c.exists("target/d/.gIt") {
		t.Error("it was created")
	}
}

// A command that may not change the git directory does not try to update its index, as git
// status and go build do. Where git tries nevertheless, that does not block the command.
func TestStrictCommandLeavesTheIndex(t *testing.T) {
	c := confineAlways(t)
	c.git("init", "-q")
	c.put("f", "one\n")
	c.git("add", "f")
	c.git("commit", "-qm", "one")
	_, ok := c.keep(true)
	ok.Access.Strict = true
	for line, code := range map[string]int{
		"touch -d 2001-01-01 f; git status; echo x >>g":               0,
		"touch -d 2001-01-02 f; git diff":                             0,
		"touch -d 2001-01-03 f; git describe --always --dirty; false": 1,
		"touch -d 2001-01-04 f; git status; false":                    1,
	} {
		call, err := c.prepare("shell", map[string]any{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		r, err := call.Run(t.Context(), ok)
		if err != nil || *r.ExitCode != code || r.Blocked != nil || strings.Contains(r.Text, "refused") {
			t.Errorf("%s: got %+v, %v", line, r, err)
		}
	}
	call, err := c.prepare("shell", map[string]any{"command": "git add g"})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := call.Run(t.Context(), ok); err != nil || r.Blocked == nil || !strings.Contains(r.Blocked.Path, "index.lock") {
		t.Errorf("git add: got %+v, %v", r, err)
	}
}

// A job keeps a file again in each turn.
func TestJobsKeepFilesInEachTurn(t *testing.T) {
	c := confineAlways(t)
	store, ok := c.keep(false)
	call, err := c.prepare("jobs", map[string]any{"action": "start", "command": "while read x; do echo $x >a; echo done; done"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call.Run(t.Context(), ok); err != nil {
		t.Fatal(err)
	}
	for n := int64(1); n <= 2; n++ {
		c.jobs.NewTurn()
		c.run("jobs", map[string]any{"action": "send", "id": 1, "input": "x"})
		for c.jobs.List()[0].Lines < n {
			runtime.Gosched()
		}
	}
	// The supervisor may still be answering the call of the first turn when the second one begins:
	// then it keeps the state at the beginning, too.
	if got := c.paths(store); got != "a a" && got != "a a a" {
		t.Errorf("kept %q", got)
	}
}
