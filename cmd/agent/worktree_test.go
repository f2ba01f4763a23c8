//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/cmd/agent/exit"
)

// isolatedHome returns a home whose working directory is a repository with one commit.
func isolatedHome(t *testing.T, s *server) home {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	h := newHome(t, map[string]string{"main.go": goFile, "README.md": "# shop\n", ".gitignore": "out\n"}, at(s)...)
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "First"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = h.work, h.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(h.work, "notes.txt"), []byte("untracked\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return h
}

// worktrees returns the directories of the worktrees of h.
func (h home) worktrees(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(h.dir, ".local/state/agent/worktrees/*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// resultFor returns the last tool result in the last request of s that holds mark.
func resultFor(t *testing.T, s *server, mark string) string {
	t.Helper()
	var found string
	for _, r := range s.seen() {
		for _, m := range r.Messages {
			var text string
			if m.Role == "tool" && json.Unmarshal(m.Content, &text) == nil && strings.Contains(text, mark) {
				found = text
			}
		}
	}
	return found
}

const isolatedTask = `{"agent":"general","prompt":"change it","isolation":"worktree"}`

// editing are the requests of a delegate that edits two files in its worktree. They
// follow the request of the model that starts it.
func editing() []answer {
	return []answer{
		call("delegate", isolatedTask),
		call("read", `{"path":"notes.txt"}`),
		call("edit", `{"path":"main.go","old":"hello","new":"goodbye"}`, "write", `{"path":"new/file.txt","content":"new\n"}`),
		say("Changed."),
		say("All done."),
	}
}

// The changes of a worktree are applied like an edit of the mode of the session, and
// the delegate's own edits need no other approval.
func TestWorktreeOfADelegate(t *testing.T) {
	t.Parallel()
	s := serve(t, editing()...)
	h := isolatedHome(t, s)
	out, code := h.agent(t, "run", "--mode", "auto", "change it")
	if code != exit.Done || !strings.Contains(out, "All done.") {
		t.Errorf("got exit code %d: %s", code, out)
	}
	if got := read(t, h, "main.go"); !strings.Contains(got, "goodbye") || read(t, h, "new/file.txt") != "new\n" {
		t.Errorf("the changes were not applied: main.go is %q", got)
	}
	got := resultFor(t, s, "Changed.")
	if !strings.Contains(got, "[Its changes were applied to the workspace: main.go, new/file.txt.]") {
		t.Errorf("got the result %q", got)
	}
	if resultFor(t, s, "untracked") == "" {
		t.Error("the delegate cannot read the untracked file")
	}
	if left := h.worktrees(t); len(left) > 0 {
		t.Errorf("got the worktrees %q, want none", left)
	}
}

// The mode of an agent narrows also how the changes of its worktree are judged.
func TestWorktreeOfANarrowAgent(t *testing.T) {
	t.Parallel()
	s := serve(t, call("delegate", `{"agent":"careful","prompt":"change it"}`), call("shell", `{"command":"sed -i s/hello/goodbye/ main.go"}`), say("Changed."), say("All done."))
	h := isolatedHome(t, s)
	dir := filepath.Join(h.dir, ".config/agent/agents")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "careful.md"), []byte("---\ndescription: Asks.\nmode: ask\nisolation: worktree\n---\nAsk.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	a := h.open(t, 100, 40, "--mode", "all")
	a.wait("openai/", "? help")
	a.send("change it" + enter)
	a.asked("? careful 1: Run this command in", "sed -i")
	a.send("1")
	a.asked("? careful 1: Apply the changes of its worktree?", "main.go", "goodbye")
	a.send("3")
	a.wait("All done.")
	if got := read(t, h, "main.go"); strings.Contains(got, "goodbye") {
		t.Errorf("the changes were applied: main.go is %q", got)
	}
}

// Without an approval nothing is applied, and the worktree is kept.
func TestWorktreeWithoutApproval(t *testing.T) {
	t.Parallel()
	s := serve(t, editing()...)
	h := isolatedHome(t, s)
	a := h.open(t, 100, 40)
	a.wait("openai/", "? help")
	a.send("change it" + enter)
	a.asked("2 files", "goodbye") // edits of the copy need no approval
	if got := read(t, h, "main.go"); got != goFile {
		t.Errorf("main.go is %q before the approval", got)
	}
	a.send("3")
	a.wait("All done.")
	if got := read(t, h, "main.go"); got != goFile {
		t.Errorf("main.go is %q after the rejection", got)
	}
	left := h.worktrees(t)
	got := resultFor(t, s, "Changed.")
	if len(left) != 1 || !strings.Contains(got, "Its worktree is kept for 7 days: "+left[0]) || !strings.Contains(got, "not applied: ") {
		t.Errorf("got the result %q and the worktrees %q", got, left)
	}
	a.send(ctrlD)
	a.exit()
}

// Changes that the user makes meanwhile are merged, or are conflicts.
func TestWorktreeMeetsChangesOfTheUser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		edit             func(text string) string
		want, text, note string
		kept             int
	}{
		{func(text string) string { return "// Package main.\n" + text }, "// Package main.\n", "goodbye",
			"[Its changes were applied to the workspace: main.go, new/file.txt.\nMerged with changes made in the workspace meanwhile: main.go.]", 0},
		{func(text string) string { return strings.Replace(text, "hello", "hi", 1) }, "package main", "hi",
			"[Its changes were applied to the workspace: new/file.txt.\nConflicts, not applied: main.go: the worktree and the workspace changed the same lines.\nIts worktree is kept", 1},
	} {
		var h home
		s := serveFunc(t, func(s *server, w http.ResponseWriter, r *http.Request) {
			if len(s.seen()) == 2 { // the delegate works
				if err := os.WriteFile(filepath.Join(h.work, "main.go"), []byte(c.edit(goFile)), 0o644); err != nil {
					t.Error(err)
				}
			}
			s.play(w, r)
		}, editing()...)
		h = isolatedHome(t, s)
		if out, code := h.agent(t, "run", "--mode", "auto", "change it"); code != exit.Done {
			t.Errorf("got exit code %d: %s", code, out)
		}
		if got := read(t, h, "main.go"); !strings.HasPrefix(got, c.want) || !strings.Contains(got, c.text) {
			t.Errorf("got main.go %q", got)
		}
		if got := resultFor(t, s, "Changed."); !strings.Contains(got, c.note) {
			t.Errorf("got the result %q, want %q", got, c.note)
		}
		if left := h.worktrees(t); len(left) != c.kept {
			t.Errorf("got the worktrees %q, want %d", left, c.kept)
		}
	}
}

// Outside a repository the call fails with a reason.
func TestNoWorktreeOutsideOfARepository(t *testing.T) {
	t.Parallel()
	s := serve(t, call("delegate", isolatedTask), say("So be it."))
	h := newHome(t, nil, at(s)...)
	if out, code := h.agent(t, "run", "change it"); code != exit.Done {
		t.Errorf("got exit code %d: %s", code, out)
	}
	if got := resultFor(t, s, "isolation: worktree needs a git repository with a commit: "); !strings.Contains(got, "is in no git repository. Delegate without isolation") {
		t.Errorf("got the result %q", got)
	}
}

// A delegate that is stopped leaves its changes in its worktree, in every mode.
func TestWorktreeOfAStoppedDelegate(t *testing.T) {
	t.Parallel()
	answers := editing()
	answers[3] = begin("I am not done ")
	s := serve(t, answers...)
	h := isolatedHome(t, s)
	a := h.open(t, 100, 40, "--mode", "auto")
	a.wait("openai/", "? help")
	a.send("change it" + enter)
	waitFor(t, "the delegate to edit", func() bool { return len(s.seen()) == 4 })
	a.send(ctrlC)
	<-s.dropped
	a.wait("interrupted")
	a.send(ctrlD)
	a.exit()
	if got := read(t, h, "main.go"); got != goFile {
		t.Errorf("main.go is %q", got)
	}
	left := h.worktrees(t)
	if len(left) != 1 {
		t.Fatalf("got the worktrees %q, want one", left)
	}
	text, err := os.ReadFile(filepath.Join(left[0], "tree/shop/main.go"))
	if err != nil || !strings.Contains(string(text), "goodbye") {
		t.Errorf("got %q, %v in the worktree", text, err)
	}
}
