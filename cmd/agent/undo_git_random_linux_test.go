package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/sampling"
)

// gitLines are command lines of which random histories are made. Many of them fail, or change only a
// part of what they should: undo must not depend on that.
var gitLines = []string{
	"echo R >main.go", "echo R >>src/a.go", "echo R >R.txt", "mkdir -p dR && echo R >dR/f", "rm -f src/b.go", "mv src/sub sR",
	"git add -A", "git add main.go", "git add -N new.txt", "git commit -qam R", "git commit -q --allow-empty -m R", "git commit -q --amend --no-edit --allow-empty",
	"git stash push -q", "git stash push -q -u", "git stash push -q -k", "git stash pop -q", "git stash apply -q", "git stash drop -q", "git stash clear", "git stash branch sR",
	"git branch bR", "git branch -D old", "git branch -m mR", "git branch -f old HEAD", "git checkout -q -b cR", "git checkout -q old", "git checkout -q main", "git checkout -q -f main",
	"git checkout -q --detach", "git checkout -q --orphan oR", "git switch -q old", "git checkout -q HEAD -- .", "git restore --staged .", "git restore .",
	"git reset -q", "git reset -q --hard", "git reset -q --soft HEAD~1", "git reset -q --hard HEAD~1", "git reset -q --hard old",
	"git merge -q --no-edit old", "git merge -q --no-edit main", "git merge --abort", "git rebase -q old", "git rebase --abort", "git cherry-pick old", "git cherry-pick --abort", "git revert --no-edit HEAD",
	"git tag tR", "git tag -f t HEAD", "git tag -d t", "git tag -a aR -m R", "git rm -q -r --cached src", "git rm -q -f main.go", "git mv main.go mR.go", "git clean -fdq",
	"git pack-refs --all", "git update-ref refs/heads/u HEAD", "git update-ref -d refs/heads/old", "git symbolic-ref HEAD refs/heads/main", "git notes add -f -m R",
	"git config user.name R", "git update-index --assume-unchanged src/a.go", "git update-index --skip-worktree src/a.go", "git read-tree HEAD", "git bisect start", "git bisect reset",
	"git replace -f HEAD HEAD~1", "git remote add rR https://example.org/R", "git apply --index x.patch", "git sparse-checkout set src", "git sparse-checkout disable",
	"git add -A && sh git.sh", "git status -s && sh git.sh",
}

// worktree returns the files of the working directory outside of git directories.
func (h home) worktree(t *testing.T) map[string]string {
	t.Helper()
	all := h.tree(t)
	maps.DeleteFunc(all, func(name, _ string) bool { return strings.Contains(name, "/.git/") })
	return all
}

// Undo restores files and the state of git exactly after random histories of commands that nobody
// approved.
func TestRandomGitHistoriesAreUndone(t *testing.T) {
	watched(t)
	runs := min(sampling.Runs(4), 200) // each takes half a second
	commands, changed := 0, 0
	for seed := range runs {
		h := newAuthor(t)
		h.git(t, "commit", "-q", "--allow-empty", "-m", "Second")
		h.git(t, "tag", "t")
		h.git(t, "stash", "push", "-q", "--", "src/b.go")
		h.put(t, "src/b.go", "again\n")
		h.git(t, "add", "src/b.go")
		h.put(t, "git.sh", "git add -A; git commit -qm s; git branch -D old; git stash drop -q; git gc -q --prune=now; rm -rf .git/refs .git/objects .git/HEAD\n")
		before, files := h.gitState(t), h.worktree(t)
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		var lines []string
		var replies []answer
		for i := range 10 {
			line := strings.ReplaceAll(gitLines[r.IntN(len(gitLines))], "R", fmt.Sprint("r", i))
			lines = append(lines, line)
			replies = append(replies, call("shell", shellCall(line)))
		}
		s := serve(t, append(replies, say("done"))...)
		out, _ := h.agent(t, "run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "all", "go")
		commands += len(lines)
		after := h.gitState(t)
		if after == before {
			continue
		}
		changed++
		shown, code := h.agent(t, "undo", "--yes")
		if d := cmp.Diff(before, h.gitState(t)); d != "" || code != 0 {
			t.Errorf("seed %d: exit code %d: the state of git (-before +after undo):\n%s\n%s\n%s\n%s", seed, code, d, strings.Join(lines, "\n"), shown, out)
		}
		if d := cmp.Diff(files, h.worktree(t)); d != "" {
			t.Errorf("seed %d: the files (-before +after undo):\n%s\n%s\n%s", seed, d, strings.Join(lines, "\n"), shown)
		}
		if locks, _ := filepath.Glob(filepath.Join(h.work, ".git", "*.lock")); len(locks) > 0 {
			t.Errorf("seed %d: left %q", seed, locks)
		}
		h.git(t, "fsck", "--full", "--no-dangling")
		_ = os.RemoveAll(h.dir)
	}
	t.Attr("promise", fmt.Sprintf("%d random git commands that nobody approved in %d histories, %d of which changed the repository, undone: differences in files, branches, index, stash, reflogs or settings: 0; objects lost: 0", commands, runs, changed))
	if changed == 0 {
		t.Error("no history changed anything")
	}
}
