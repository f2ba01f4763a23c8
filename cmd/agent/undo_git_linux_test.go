package main

import (
	"os"
	"os/exec"
	"path/filepath"
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
		"git branch -q -D tmp_feature gc.log f/COMMIT_EDITMSG",
		"git checkout -q tmp_feature && git commit -qam two && git tag -f tmp_tag",
		"git stash push -q -u",
		"git stash push -q && git stash drop -q",
		"git checkout -q -b feature/x && git commit -qam two",
		"git checkout -q old && git commit -q --allow-empty -m other",
		"git branch -D old",
		"git branch --d old",
		"git reset --h",
		"git reset -q",
		"git branch -m old older/x",
		"git reset -q --hard HEAD",
		"git add -A && git checkout -q --f",
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
			h := newAuthor(t)
			h.git(t, "add", "src/b.go")
			for _, branch := range []string{"tmp_feature", "gc.log", "f/COMMIT_EDITMSG"} {
				h.git(t, "branch", branch)
			}
			h.put(t, "all.sh", "git stash -q -u; git stash pop -q; git add -A; git commit -qm x; git branch y\n")
			before, files := h.gitState(t), h.tree(t)
			out, _ := h.agent(t, "run", "--mode", "all", "run "+command)
			if h.gitState(t) == before || strings.Contains(out, "refused") {
				t.Fatalf("a change was refused, or the command changed nothing: %s", out)
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
		})
	}
}

// git runs git in the working directory.
func (h home) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = h.work, h.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

// newAuthor returns newRepository with a second branch and a name for commits.
func newAuthor(t *testing.T) home {
	t.Helper()
	h := newRepository(t)
	h.git(t, "branch", "old")
	h.git(t, "config", "user.name", "x")
	h.git(t, "config", "user.email", "x@example.org")
	return h
}

// What the user does with git after a turn is never lost: the state of git is undone completely or
// not at all.
func TestUndoOfGitAndTheUser(t *testing.T) {
	watched(t)
	for name, c := range map[string]struct {
		user   func(h home, t *testing.T)
		undone bool
		says   string
	}{
		"refreshes the index": {func(h home, t *testing.T) {
			h.put(t, "src/a.go", "a\n")
			h.git(t, "status")
		}, true, ""},
		"fetches": {func(h home, t *testing.T) { h.put(t, ".git/FETCH_HEAD", "x\n") }, true, ""},
		"commits": {func(h home, t *testing.T) {
			h.git(t, "commit", "-q", "--allow-empty", "-m", "mine")
		}, false, "the state of git stays: .git/"},
		"stages":   {func(h home, t *testing.T) { h.git(t, "add", "new.txt") }, false, "the state of git stays: .git/index was changed since"},
		"branches": {func(h home, t *testing.T) { h.git(t, "branch", "mine") }, true, ""},
		"locks": {func(h home, t *testing.T) { h.put(t, ".git/index.lock", "") }, false,
			".git: another git process is running in this repository, or was killed and left its lock"},
		"prunes": {func(h home, t *testing.T) {
			h.git(t, "reflog", "expire", "--expire=now", "--all")
			h.git(t, "gc", "-q", "--prune=now")
		}, false, "the state of git stays: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newAuthor(t)
			h.git(t, "add", "src/b.go") // the blob is in no commit
			before := h.gitState(t)
			out, _ := h.agent(t, "run", "--mode", "all", "run git reset -q && git commit -qam two && git branch -D old")
			if h.gitState(t) == before {
				t.Fatal(out)
			}
			c.user(h, t)
			then := h.gitState(t)
			shown, code := h.agent(t, "undo", "--yes")
			want := then
			if c.undone {
				want = before
				if name == "branches" {
					return // the branch of the user stays, which TestUndoRestoresGit cannot compare
				}
			}
			if got := h.gitState(t); got != want || (code == 0) != c.undone || !strings.Contains(shown, c.says) {
				t.Errorf("exit code %d\n%s\n(-want +got):\n%s", code, shown, cmp.Diff(want, got))
			}
		})
	}
}

// Redo restores the state that commands left, and an undo after it the one before.
func TestRedoOfGit(t *testing.T) {
	watched(t)
	t.Parallel()
	h := newAuthor(t)
	before := h.gitState(t)
	if out, code := h.agent(t, "run", "--mode", "all", "run git stash push -q -u && git checkout -q -b a/b && git commit -q --allow-empty -m two"); code != 0 {
		t.Fatal(out)
	}
	after := h.gitState(t)
	for _, c := range []struct {
		args []string
		want string
	}{{nil, before}, {[]string{"--redo"}, after}, {nil, before}, {[]string{"--redo"}, after}} {
		out, code := h.agent(t, append([]string{"undo", "--yes"}, c.args...)...)
		if d := cmp.Diff(c.want, h.gitState(t)); d != "" || code != 0 {
			t.Errorf("undo %q: exit code %d (-want +got):\n%s\n%s", c.args, code, d, out)
		}
	}
}

// In a line with git, a script cannot remove the objects that undo needs.
func TestScriptsCannotRemoveObjects(t *testing.T) {
	watched(t)
	t.Parallel()
	h := newAuthor(t)
	h.git(t, "add", "src/b.go")
	h.put(t, "gc.sh", "git reset -q --hard; git branch -D old; git reflog expire --expire=now --all; git gc -q --prune=now; rm -rf .git/objects; find .git/objects -type f -delete\n")
	before := h.gitState(t)
	out, _ := h.agent(t, "run", "--mode", "all", "run git add main.go; sh gc.sh")
	shown, _ := h.agent(t, "undo", "--yes")
	if d := cmp.Diff(before, h.gitState(t)); d != "" {
		t.Errorf("(-before +after undo):\n%s\n%s\n%s", d, out, shown)
	}
	h.git(t, "fsck", "--full")
}

// The state of git is restored, too, if the git directory is outside the workspace.
func TestUndoOfGitOutsideTheWorkspace(t *testing.T) {
	watched(t)
	for _, place := range []string{"subdirectory", "linked worktree"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			h := newAuthor(t)
			if place == "subdirectory" {
				h.work += "/src"
			} else {
				h.git(t, "worktree", "add", "-q", "-b", "linked", "../linked")
				h.work += "/../linked"
				h.put(t, "../linked/main.go", "changed\n")
			}
			before := h.gitState(t)
			out, _ := h.agent(t, "run", "--mode", "all", "--allow", "command: git add", "--allow", "command: git commit", "--allow", "command: git branch -D old", "run git add -A . && git commit -qm two && git branch -D old")
			if h.gitState(t) == before {
				t.Fatal(out)
			}
			shown, code := h.agent(t, "undo", "--yes")
			if d := cmp.Diff(before, h.gitState(t)); d != "" || code != 0 {
				t.Errorf("exit code %d (-before +after undo):\n%s\n%s", code, d, shown)
			}
		})
	}
}

// What undo cannot restore in a git directory is refused, also if git itself changes it.
func TestGitKeepsWhatUndoCannotRestore(t *testing.T) {
	watched(t)
	for name, c := range map[string]struct{ script, command string }{
		"a file of another program": {"", "git diff --output=.git/git-crypt/keys/default HEAD"},
		"a script removes it":       {"rm -rf .git/git-crypt .git/description .git/rr-cache; echo x >.git/COMMIT_EDITMSG; touch .git/packed-refs .git/shallow .git/refs/heads/x\n", "git add x.sh; sh x.sh"},
		"places of objects":         {"git diff --output=.git/objects/info/alternates HEAD; echo x >.git/objects/info/http-alternates; echo x >.git/objects/pack/pack-1.idx; git diff --output=.git/objects/pack/pack-2.idx HEAD~1 HEAD\n", "git add x.sh; sh x.sh"},
		"a pack by another command": {"cp .git/index a.pack; cp .git/index a.idx; git add a.pack a.idx; git checkout-index --prefix=.git/objects/pack/.tmp- a.pack a.idx; git rm -q -f a.pack a.idx\n", "git add x.sh; sh x.sh"},
		"a large file":              {"", "git diff --output=.git/big HEAD"},
		"a graph of commits":        {"git diff --output=.git/objects/info/commit-graph HEAD~1 HEAD\n", "git add x.sh; sh x.sh"},
		"a linked worktree":         {"git worktree remove --force wt\n", "git add x.sh; sh x.sh"},
		"a removed worktree":        {"", "git worktree remove --force wt"},
		"exclusions":                {"", "git log -1 --output=.git/info/exclude"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newAuthor(t)
			h.git(t, "commit", "-q", "--allow-empty", "-m", "Second")
			h.git(t, "worktree", "add", "-q", "--detach", "wt")
			h.put(t, "wt/staged", "staged\n")
			h.git(t, "-C", "wt", "add", "staged")
			h.put(t, ".git/git-crypt/keys/default", "key\n")
			h.put(t, ".git/rr-cache/1/preimage", "image\n")
			if name == "a large file" {
				h.put(t, ".git/big", strings.Repeat("x", 65<<20))
			}
			h.put(t, "x.sh", c.script)
			before, files := h.gitState(t)+h.git(t, "worktree", "list"), h.tree(t)
			out, _ := h.agent(t, "run", "--mode", "all", "run "+c.command)
			shown, _ := h.agent(t, "undo", "--yes")
			if d := cmp.Diff(before, h.gitState(t)+h.git(t, "worktree", "list")); d != "" {
				t.Errorf("(-before +after undo):\n%s\n%s\n%s", d, out, shown)
			}
			after := h.tree(t)
			for name, text := range files {
				if name := filepath.ToSlash(name); len(text) > 1<<20 && after[name] != text {
					t.Errorf("%s is lost", name)
				} else if after[name] != text && !strings.HasSuffix(name, "/index") && !strings.HasSuffix(name, "_EDITMSG") {
					t.Errorf("%s is %q, want %q\n%s\n%s", name, after[name], text, out, shown)
				}
			}
			for name := range after {
				if _, found := files[name]; !found && strings.Contains(name, ".git/objects/") && (strings.Contains(name, "/info/") || strings.Contains(name, "/pack/")) {
					t.Errorf("%s is new", name)
				}
			}
		})
	}
}

// The objects of a submodule stay, also if its name contains that of a directory of objects.
func TestObjectsOfSubmodulesStay(t *testing.T) {
	watched(t)
	t.Parallel()
	h := newAuthor(t)
	h.git(t, "init", "-q", "../lib")
	h.git(t, "-C", "../lib", "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "--allow-empty", "-m", "One")
	h.git(t, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "--name", "vendor/objects/lib", h.dir+"/src/lib", "vendor/objects/lib")
	for _, message := range []string{"Two", "Three"} {
		h.git(t, "-C", "vendor/objects/lib", "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "--amend", "--allow-empty", "-m", message)
	}
	lost := strings.TrimSpace(h.git(t, "-C", "vendor/objects/lib", "rev-parse", "HEAD@{1}"))
	h.put(t, "x.sh", "cd vendor/objects/lib; git reflog expire --expire=now --all; git gc -q --prune=now\n")
	out, _ := h.agent(t, "run", "--mode", "all", "run git add x.sh; sh x.sh")
	shown, _ := h.agent(t, "undo", "--yes")
	if got := strings.TrimSpace(h.git(t, "-C", "vendor/objects/lib", "rev-parse", "HEAD@{1}")); got != lost {
		t.Errorf("got %s, want %s\n%s\n%s", got, lost, out, shown)
	}
	h.git(t, "-C", "vendor/objects/lib", "cat-file", "-e", lost)
}

// Undo does not restore a file that names programs of git in a directory that has become a
// repository since.
func TestUndoRestoresNoProgramsOfGit(t *testing.T) {
	watched(t)
	t.Parallel()
	h := newAuthor(t)
	h.agent(t, "run", "--mode", "all", `run mkdir -p build/x && printf '[core]\n\tfsmonitor = touch OWNED\n' >build/x/config`)
	if !strings.Contains(read(t, h, "build/x/config"), "fsmonitor") {
		t.Fatal("the file was not made")
	}
	h.agent(t, "run", "--mode", "all", "--continue", "run rm build/x/config; git init -q --bare build/x; touch build/x/objects/k build/x/refs/k")
	out, _ := h.agent(t, "undo", "--yes")
	if text, err := os.ReadFile(filepath.Join(h.work, "build/x/config")); err == nil && strings.Contains(string(text), "fsmonitor") {
		t.Errorf("the file is there again: %s", out)
	}
}

// The state of a submodule is undone by its own objects, whatever its branches and files are called.
func TestUndoInSubmodules(t *testing.T) {
	watched(t)
	for name, command := range map[string]string{
		"references of git":        "git -C lib reset -q --hard HEAD~1; git -C lib reset -q --hard HEAD~1; git -C lib stash clear; git branch -D old",
		"branches like git":        "git -C lib branch -q -D topic/config topic/index; git branch -D old",
		"objects of other systems": "git add x.sh; sh x.sh",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newAuthor(t)
			lib := func(args ...string) {
				h.git(t, append([]string{"-C", "lib", "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
			}
			h.git(t, "init", "-q", "../lib")
			h.git(t, "-C", "../lib", "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "--allow-empty", "-m", "One")
			h.git(t, "-c", "protocol.file.allow=always", "submodule", "add", "-q", h.dir+"/src/lib", "lib")
			h.git(t, "commit", "-q", "-m", "lib")
			for _, text := range []string{"1", "2", "3"} {
				h.put(t, "lib/f", text)
				lib("add", "f")
				lib("commit", "-q", "-m", text)
			}
			lib("reset", "-q", "--hard", "HEAD~1")
			lib("branch", "topic/config")
			lib("branch", "topic/index")
			h.put(t, "lib/f", "stashed")
			lib("stash", "-q")
			object := ".git/modules/lib/lfs/objects/ab/cd/abcd"
			h.put(t, object, "the only copy\n")
			h.put(t, "x.sh", "git init -q /tmp/t; cd .git/modules/lib/lfs && git --git-dir=/tmp/t/.git --work-tree=. clean -fdxq\n")
			state := func() string {
				return h.gitState(t) + h.git(t, "-C", "lib", "show-ref") + h.git(t, "-C", "lib", "stash", "list") + h.git(t, "-C", "lib", "ls-files", "-s") + h.git(t, "-C", "lib", "reflog")
			}
			before := state()
			out, _ := h.agent(t, "run", "--mode", "all", "run "+command)
			shown, code := h.agent(t, "undo", "--yes")
			if d := cmp.Diff(before, state()); d != "" || code != 0 {
				t.Errorf("exit code %d: the state of git (-before +after undo):\n%s\n%s\n%s", code, d, out, shown)
			}
			if text, _ := os.ReadFile(filepath.Join(h.work, object)); string(text) != "the only copy\n" {
				t.Errorf("%s is %q: %s", object, text, out)
			}
		})
	}
}

// The git directory outside the workspace is restored, too, if a command has removed what leads to it.
func TestUndoOfALostGitDirectory(t *testing.T) {
	watched(t)
	for name, script := range map[string]string{
		"removed by git":      `git branch -D other; git stash clear; git worktree remove --force "$PWD"`,
		"cleaned by git":      "G=$(cd $(git rev-parse --git-common-dir) && pwd); git init -q /tmp/t; git branch -D other; git stash clear; cd $G && git --git-dir=/tmp/t/.git --work-tree=. clean -fdxq worktrees",
		"cleaned completely":  "G=$(cd $(git rev-parse --git-common-dir) && pwd); git init -q /tmp/t; cd $G && git --git-dir=/tmp/t/.git --work-tree=. clean -fdxq refs logs HEAD packed-refs index worktrees",
		"cleaned from within": "G=$(git rev-parse --git-dir); git init -q /tmp/t; cd $G && git --git-dir=/tmp/t/.git --work-tree=. clean -fdxq",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newAuthor(t)
			h.git(t, "branch", "other")
			h.put(t, "main.go", "stashed\n")
			h.git(t, "stash", "-q")
			h.git(t, "worktree", "add", "-q", "-b", "linked", "../linked")
			h.work += "/../linked"
			h.put(t, "staged.go", "staged\n")
			h.git(t, "add", "staged.go")
			h.put(t, "x.sh", script+"\n")
			before := h.gitState(t)
			out, _ := h.agent(t, "run", "--mode", "auto", "run git add staged.go; sh x.sh")
			shown, code := h.agent(t, "undo", "--yes")
			if d := cmp.Diff(before, h.gitState(t)); d != "" || code != 0 {
				t.Errorf("exit code %d: the state of git (-before +after undo):\n%s\n%s\n%s", code, d, out, shown)
			}
		})
	}
}
