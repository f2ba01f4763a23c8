package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gitState returns what git says about a repository: what is checked out, its references with their
// reflogs, what is staged, stashes, changed files and settings.
func (h home) gitState(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	for _, line := range []string{
		"symbolic-ref -q HEAD", "for-each-ref", "reflog show --all", "ls-files -s", "stash list", "status --porcelain",
		"config --local --list", "fsck --connectivity-only --no-dangling",
	} {
		cmd := exec.Command("git", strings.Fields(line)...)
		cmd.Dir, cmd.Env = h.work, append(h.env, "GIT_OPTIONAL_LOCKS=0")
		text, _ := cmd.CombinedOutput()
		out.WriteString("$ git " + line + "\n" + string(text))
	}
	for _, name := range []string{"MERGE_HEAD", "rebase-merge", "CHERRY_PICK_HEAD"} {
		if _, err := os.Stat(h.work + "/.git/" + name); err == nil {
			out.WriteString(name + "\n")
		}
	}
	return out.String()
}

// Undo restores the state of git that commands change, together with the files.
func TestUndoRestoresGit(t *testing.T) {
	watched(t)
	for _, command := range []string{
		"git add -A",
		"git add main.go && git commit -qm two",
		"git commit -qam two && git commit -q --allow-empty -m three && git tag v2",
		"git stash push -q -u",
		"git stash push -q && git stash drop -q",
		"git checkout -q -b feature/x && git commit -qam two",
		"git checkout -q old && git commit -q --allow-empty -m other",
		"git branch -D old",
		"git branch -m old older/x",
		"git reset -q --hard HEAD",
		"git rm -q --cached src/a.go",
		"git mv src/a.go util.go && git commit -qm moved",
		"git config user.name Somebody",
		"git commit -qam two && git checkout -q old && git commit -q --allow-empty -m three && git merge -q main",
		"git checkout -q old && echo other > main.go && git commit -qam other; git merge -q --no-edit main || true",
		"git pack-refs --all && git commit -qam two",
		"git add main.go; sh all.sh",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			h := newRepository(t)
			h.put(t, "all.sh", "git stash -q -u; git stash pop -q; git add -A; git commit -qm x; git branch y\n")
			for _, args := range [][]string{{"branch", "old"}, {"config", "user.name", "x"}, {"config", "user.email", "x@example.org"}} {
				cmd := exec.Command("git", args...)
				cmd.Dir, cmd.Env = h.work, h.env
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			before, files := h.gitState(t), h.tree(t)
			out, _ := h.agent(t, "run", "--mode", "all", "run "+command)
			if h.gitState(t) == before {
				t.Fatalf("the command changed nothing: %s", out)
			}
			shown, code := h.agent(t, "undo", "--yes")
			if code != 0 {
				t.Errorf("exit code %d", code)
			}
			if d := cmp.Diff(before, h.gitState(t)); d != "" {
				t.Errorf("the state of git (-before +after undo):\n%s\n%s", d, shown)
			}
			now := h.tree(t)
			for name, text := range files {
				if now[name] != text && !strings.Contains(name, ".git/") {
					t.Errorf("%s is %q, want %q", name, now[name], text)
				}
			}
			t.Log(shown)
		})
	}
}
