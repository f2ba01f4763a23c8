//go:build unix

package git_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/git"
)

// worktree makes a worktree of the workspace at dir, which is removed when the test
// ends.
func worktree(t *testing.T, dir string) *git.Worktree {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	w, err := git.AddWorktree(ctx, git.WorktreeOptions{Workspace: dir, Dir: filepath.Join(t.TempDir(), "explore-1")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Remove(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// changes returns the changes of a worktree as text, and what was left out.
func changes(t *testing.T, w *git.Worktree) (changed map[string]string, leftOut []string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	d, err := w.Changes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return describe(d.Changes), d.LeftOut
}

func describe(list []git.Change) map[string]string {
	all := map[string]string{}
	for _, c := range list {
		all[c.Path] = content(c.Before) + " -> " + content(c.After)
	}
	return all
}

func content(b []byte) string {
	if b == nil {
		return "none"
	}
	return fmt.Sprintf("%q", b)
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("%s: got (-), want (+):\n%s", what, d)
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// texts returns the contents of the files below dir outside .git, and the targets of
// its links.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, name)
		switch {
		case err != nil:
			return err
		case d.Name() == ".git" && d.IsDir():
			return filepath.SkipDir
		case d.Name() == ".git" || d.IsDir():
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			all[rel] = "-> " + to
			return err
		default:
			text, err := os.ReadFile(name)
			all[rel] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A worktree has the files of the workspace and the same status.
func TestWorktreeHasTheFilesOfTheWorkspace(t *testing.T) {
	dir := repository(t)
	write(t, dir, ".gitignore", "ignored\n")
	write(t, dir, "ignored", "x\n")
	write(t, dir, "run.sh", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, "a.txt", filepath.Join(dir, "link"))
	remove(t, dir, "sub/b.txt")
	w := worktree(t, dir)
	want := texts(t, dir)
	delete(want, "ignored")
	expect(t, "files", texts(t, w.Dir()), want)
	expect(t, "left out", w.LeftOut(), []string(nil))
	if fi, err := os.Stat(filepath.Join(w.Dir(), "run.sh")); err != nil || fi.Mode().Perm() != 0o755 {
		t.Errorf("got %v, %v, want an executable file", fi.Mode(), err)
	}
	if got, want := plain(t, w.Dir(), "status", "--short"), plain(t, dir, "status", "--short"); got != want {
		t.Errorf("got the status\n%s\nwant\n%s", got, want)
	}
	if got := plain(t, w.Dir(), "rev-parse", "--abbrev-ref", "HEAD"); got != "HEAD" {
		t.Errorf("the branch %s is checked out, want none", got)
	}
	if got := plain(t, dir, "worktree", "list"); strings.Count(got, "\n") != 1 || !strings.Contains(got, w.Dir()) {
		t.Errorf("got the worktrees\n%s", got)
	}
	plain(t, dir, "fsck")
	changed, leftOut := changes(t, w)
	expect(t, "changes", changed, map[string]string{})
	expect(t, "left out", leftOut, []string(nil))
}

// Changes are measured against the files that the worktree was made with.
func TestChangesOfAWorktree(t *testing.T) {
	dir := repository(t)
	write(t, dir, "empty", "")
	write(t, dir, "gone.txt", "gone\n")
	plain(t, dir, "add", "gone.txt")
	remove(t, dir, "gone.txt")
	w := worktree(t, dir)
	at := w.Dir()
	write(t, at, "a.txt", "changed again\n")
	write(t, at, "new.txt", "")
	write(t, at, "binary", "a\x00b")
	write(t, at, "deep/er/x.txt", "x\n")
	write(t, at, "gone.txt", "back\n")
	write(t, at, "empty", "full\n")
	remove(t, at, "staged.txt")
	if err := os.Rename(filepath.Join(at, "sub/b.txt"), filepath.Join(at, "sub/c.txt")); err != nil {
		t.Fatal(err)
	}
	changed, leftOut := changes(t, w)
	expect(t, "changes", changed, map[string]string{
		"a.txt":         `"changed\n" -> "changed again\n"`,
		"binary":        `none -> "a\x00b"`,
		"deep/er/x.txt": `none -> "x\n"`,
		"empty":         `"" -> "full\n"`,
		"gone.txt":      `none -> "back\n"`,
		"new.txt":       `"new\n" -> ""`,
		"staged.txt":    `"new\n" -> none`,
		"sub/b.txt":     `"two\n" -> none`,
		"sub/c.txt":     `none -> "two\n"`,
	})
	expect(t, "left out", leftOut, []string(nil))
}

// Commits, a changed index and another branch do not hide changes.
func TestChangesOfCommits(t *testing.T) {
	dir := repository(t)
	w := worktree(t, dir)
	write(t, w.Dir(), "a.txt", "committed\n")
	write(t, w.Dir(), "more.txt", "more\n")
	plain(t, w.Dir(), "checkout", "-q", "-b", "elsewhere")
	plain(t, w.Dir(), "add", "-A")
	plain(t, w.Dir(), "commit", "-q", "-m", "Work")
	write(t, w.Dir(), "a.txt", "committed, and more\n")
	changed, _ := changes(t, w)
	expect(t, "changes", changed, map[string]string{
		"a.txt":    `"changed\n" -> "committed, and more\n"`,
		"more.txt": `none -> "more\n"`,
	})
	expect(t, "branch of the workspace", plain(t, dir, "branch", "--show-current"), "topic/one")
}

// What cannot be applied is named.
func TestChangesThatAreLeftOut(t *testing.T) {
	dir := repository(t)
	link(t, "a.txt", filepath.Join(dir, "link"))
	link(t, "a.txt", filepath.Join(dir, "link2"))
	write(t, dir, "tool", "#!/bin/sh\n")
	write(t, dir, "folder/x", "x\n")
	write(t, dir, "file", "x\n")
	w := worktree(t, dir)
	at := w.Dir()
	outside := t.TempDir()
	write(t, outside, "secret", "secret\n")
	link(t, "new.txt", filepath.Join(at, "link"))
	remove(t, at, "link2")
	remove(t, at, "sub")
	link(t, outside, filepath.Join(at, "sub"))
	remove(t, at, "a.txt")
	link(t, filepath.Join(outside, "secret"), filepath.Join(at, "a.txt"))
	remove(t, at, "folder")
	write(t, at, "folder", "a file\n")
	remove(t, at, "file")
	write(t, at, "file/inner", "x\n")
	if err := os.Chmod(filepath.Join(at, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, at, "made.sh", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(at, "made.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	plain(t, at, "init", "-q", "nested")
	write(t, at, "nested/x", "x\n")
	if err := syscall.Mkfifo(filepath.Join(at, "new.fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	remove(t, at, "new.txt")
	if err := syscall.Mkfifo(filepath.Join(at, "new.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	large, err := os.Create(filepath.Join(at, "large"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(large.Truncate(17<<20), large.Close()); err != nil {
		t.Fatal(err)
	}
	changed, leftOut := changes(t, w)
	expect(t, "changes", changed, map[string]string{"made.sh": `none -> "#!/bin/sh\n"`})
	expect(t, "left out", leftOut, []string{
		"folder: a file or link in place of a directory is left out",
		"sub: a file or link in place of a directory is left out",
		"a.txt: a new or changed symbolic link is left out",
		"file: a directory in place of a file is left out",
		"link: a new or changed symbolic link is left out",
		"link2: the removal of a symbolic link is left out",
		"new.txt: a file that is not regular is left out",
		"tool: the change of its executable bit is left out",
		"large (17.8 MB) is too large and is left out",
		"made.sh: its executable bit is left out",
		"nested/: a repository of its own is left out",
	})
}

// A workspace below the top directory gets the corresponding directory of the worktree.
func TestWorktreeOfASubdirectory(t *testing.T) {
	dir := repository(t)
	shortcut := filepath.Join(t.TempDir(), "shortcut")
	link(t, filepath.Join(dir, "sub"), shortcut)
	for _, workspace := range []string{filepath.Join(dir, "sub"), shortcut} {
		w := worktree(t, workspace)
		if filepath.Base(w.Dir()) != "sub" {
			t.Errorf("got the directory %s", w.Dir())
		}
		write(t, w.Dir(), "b.txt", "three\n")
		write(t, w.Dir(), "x.txt", "x\n")
		write(t, w.Dir(), "../a.txt", "x\n")
		write(t, w.Dir(), "../other/y.txt", "x\n")
		changed, leftOut := changes(t, w)
		expect(t, "changes", changed, map[string]string{"b.txt": `"two\n" -> "three\n"`, "x.txt": `none -> "x\n"`})
		expect(t, "left out", leftOut, []string{
			"../a.txt: a change outside the workspace is left out",
			"../other/y.txt: a change outside the workspace is left out",
		})
	}
}

// merge merges the changes of w with the files in dir.
func merge(t *testing.T, w *git.Worktree, dir string) git.Merged {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	d, err := w.Changes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	m, err := w.Merge(ctx, d.Changes, func(path string) ([]byte, error) {
		text, err := os.ReadFile(filepath.Join(dir, path))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return text, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMerge(t *testing.T) {
	dir := repository(t)
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	for _, name := range []string{"both", "clash", "same", "removed", "removed-here", "removed-twice"} {
		write(t, dir, name, ten)
	}
	write(t, dir, "binary", "a\x00b\n")
	w := worktree(t, dir)
	first, last := strings.Replace(ten, "1\n", "one\n", 1), strings.Replace(ten, "10\n", "ten\n", 1)
	edit := func(name, worktree, workspace string) {
		for at, text := range map[string]string{w.Dir(): worktree, dir: workspace} {
			if remove(t, at, name); text != "" {
				write(t, at, name, text)
			}
		}
	}
	edit("a.txt", "worktree\n", "changed\n")
	edit("both", first, last)
	edit("clash", first, strings.Replace(ten, "1\n", "eins\n", 1))
	edit("same", first, first)
	edit("removed", "", last)
	edit("removed-here", first, "")
	edit("removed-twice", "", "")
	edit("binary", "c\x00b\n", "a\x00c\n")
	edit("new-twice", "one\n", "two\n")
	edit("staged.txt", "new\n", "of the user\n")
	m := merge(t, w, dir)
	expect(t, "changes", describe(m.Changes), map[string]string{
		"a.txt": `"changed\n" -> "worktree\n"`,
		"both":  fmt.Sprintf("%q -> %q", last, strings.Replace(first, "10\n", "ten\n", 1)),
	})
	expect(t, "combined", m.Combined, []string{"both"})
	expect(t, "conflicts", m.Conflicts, []string{
		"binary: changed in the worktree and in the workspace, and not text",
		"clash: the worktree and the workspace changed the same lines",
		"new-twice: the workspace has another new file with this name",
		"removed: removed in the worktree, but changed in the workspace",
		"removed-here: changed in the worktree, but removed in the workspace",
	})
}

// No program that a repository names runs when a worktree is made, compared, merged or
// removed.
func TestWorktreesOfHostileRepositoriesRunNothing(t *testing.T) {
	cases := map[string]hostileCase{"checkout hook": {hook: "post-checkout", triggered: []string{"worktree", "add", "-q", "--detach", "../other"}}}
	for name, c := range hostile {
		cases[name] = c
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := repository(t)
			canary := c.plant(t, dir)
			w := worktree(t, dir)
			write(t, w.Dir(), "a.txt", "worktree\nchanged\n")
			write(t, w.Dir(), "fresh.txt", "x\n")
			write(t, dir, "a.txt", "changed\nworkspace\n")
			m := merge(t, w, dir)
			if len(m.Changes)+len(m.Conflicts) != 2 {
				t.Errorf("got %v, want two changes", m)
			}
			if err := w.Remove(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(canary); err == nil {
				t.Error("a program of the repository ran")
			}
			if name != "checkout hook" {
				return // TestHostileRepositoriesRunNothing shows that it would run
			}
			if plain(t, dir, c.triggered...); !exists(canary) {
				t.Error("the test proves nothing: the hook did not run")
			}
		})
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// Line endings, filters and large file storage do not change the files: they are copied
// as they are.
func TestWorktreeWithConversions(t *testing.T) {
	dir := repository(t)
	plain(t, dir, "config", "core.autocrlf", "true")
	plain(t, dir, "config", "filter.upper.clean", "tr a-z A-Z")
	plain(t, dir, "config", "filter.upper.smudge", "tr A-Z a-z")
	write(t, dir, ".gitattributes", "*.up filter=upper\n")
	write(t, dir, "dos.txt", "one\r\ntwo\r\n")
	write(t, dir, "x.up", "content\n")
	plain(t, dir, "add", ".")
	plain(t, dir, "commit", "-q", "-m", "Conversions")
	w := worktree(t, dir)
	expect(t, "files", texts(t, w.Dir()), texts(t, dir))
	write(t, w.Dir(), "dos.txt", "one\r\n2\r\n")
	write(t, w.Dir(), "x.up", "changed\n")
	changed, _ := changes(t, w)
	expect(t, "changes", changed, map[string]string{
		"dos.txt": `"one\r\ntwo\r\n" -> "one\r\n2\r\n"`,
		"x.up":    `"content\n" -> "changed\n"`,
	})
}

func TestWorktreeOfOtherRepositories(t *testing.T) {
	t.Run("sha256", func(t *testing.T) {
		dir := t.TempDir()
		repository(t) // skips the test without git
		plain(t, dir, "init", "-q", "--object-format=sha256")
		write(t, dir, "a.txt", "a\n")
		plain(t, dir, "add", ".")
		plain(t, dir, "commit", "-q", "-m", "Only")
		w := worktree(t, dir)
		write(t, w.Dir(), "a.txt", "b\n")
		changed, _ := changes(t, w)
		expect(t, "changes", changed, map[string]string{"a.txt": `"a\n" -> "b\n"`})
		expect(t, "status", plain(t, w.Dir(), "status", "--short"), "M a.txt")
	})
	t.Run("linked worktree", func(t *testing.T) {
		dir, other := repository(t), filepath.Join(t.TempDir(), "other")
		plain(t, dir, "worktree", "add", "-q", "-b", "two", other, "HEAD")
		write(t, other, "only-here.txt", "x\n")
		w := worktree(t, other)
		write(t, w.Dir(), "only-here.txt", "y\n")
		changed, _ := changes(t, w)
		expect(t, "changes", changed, map[string]string{"only-here.txt": `"x\n" -> "y\n"`})
		expect(t, "status", plain(t, w.Dir(), "status", "--short"), "?? only-here.txt")
	})
	t.Run("submodule", func(t *testing.T) {
		dir, inner := repository(t), repository(t)
		plain(t, dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "inner")
		w := worktree(t, dir)
		expect(t, "left out", w.LeftOut(), []string{"inner is a submodule; it is not in the worktree"})
		write(t, w.Dir(), "inner/x", "x\n")
		changed, leftOut := changes(t, w)
		expect(t, "changes", changed, map[string]string{})
		expect(t, "left out", leftOut, []string{"inner: changes of a submodule are left out"})
		// A workspace in a submodule has a repository of its own.
		w = worktree(t, filepath.Join(dir, "inner"))
		write(t, w.Dir(), "a.txt", "x\n")
		changed, _ = changes(t, w)
		expect(t, "changes", changed, map[string]string{"a.txt": `"one\n" -> "x\n"`})
	})
	t.Run("sparse", func(t *testing.T) {
		dir := repository(t)
		plain(t, dir, "reset", "-q", "--hard")
		plain(t, dir, "sparse-checkout", "set", "--no-cone", "/a.txt")
		w := worktree(t, dir)
		expect(t, "files", texts(t, w.Dir()), map[string]string{"a.txt": "one\n", "new.txt": "new\n"})
		expect(t, "status", plain(t, w.Dir(), "status", "--short"), "?? new.txt")
	})
	t.Run("conflict", func(t *testing.T) {
		dir := repository(t)
		plain(t, dir, "reset", "-q", "--hard")
		plain(t, dir, "checkout", "-q", "-b", "two", "HEAD~1")
		write(t, dir, "sub/b.txt", "three\n")
		plain(t, dir, "commit", "-q", "-a", "-m", "Third")
		merge := exec.Command("git", "-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "merge", "-q", "topic/one")
		if out, err := merge.CombinedOutput(); err == nil {
			t.Fatalf("the merge has no conflict: %s", out)
		}
		w := worktree(t, dir)
		expect(t, "files", texts(t, w.Dir()), texts(t, dir))
		expect(t, "status", plain(t, w.Dir(), "status", "--short", "-uno"), "UU sub/b.txt")
	})
}

// An untracked file that is too large, and private places, are not copied.
func TestWorktreeWithoutSomeFiles(t *testing.T) {
	dir := repository(t)
	large, err := os.Create(filepath.Join(dir, "large"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(large.Truncate(17<<20), large.Close()); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "state/key", "secret\n")
	write(t, dir, "state/worktrees/other/x", "x\n")
	w, err := git.AddWorktree(t.Context(), git.WorktreeOptions{
		Workspace: dir, Dir: filepath.Join(dir, "state/worktrees/one"), Private: []string{filepath.Join(dir, "state")},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Remove()
	got := texts(t, w.Dir())
	expect(t, "files", got, map[string]string{"a.txt": "changed\n", "new.txt": "new\n", "staged.txt": "new\n", "sub/b.txt": "two\n"})
	expect(t, "left out", w.LeftOut(), []string{"large (17.8 MB) is untracked and too large; it is not in the worktree"})
}

func TestNoWorktree(t *testing.T) {
	outside := t.TempDir()
	empty, bare, ignored := t.TempDir(), t.TempDir(), repository(t)
	plain(t, empty, "init", "-q")
	write(t, empty, "a.txt", "a\n")
	plain(t, bare, "init", "-q", "--bare")
	write(t, ignored, ".gitignore", "out\n")
	write(t, ignored, "out/x", "x\n")
	turned := repository(t)
	plain(t, turned, "config", "core.bare", "true")
	for _, c := range []struct{ dir, want string }{
		{outside, "is in no git repository"}, {empty, "has no commit"}, {bare, "is a bare repository"},
		{turned, "is a bare repository"}, {filepath.Join(ignored, "out"), "out has no file that belongs to the repository"},
	} {
		at := filepath.Join(t.TempDir(), "one")
		_, err := git.AddWorktree(t.Context(), git.WorktreeOptions{Workspace: c.dir, Dir: at})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasSuffix(err.Error(), "Delegate without isolation") {
			t.Errorf("%s: got the error %v", c.want, err)
		}
		if exists(at) || exists(filepath.Join(c.dir, ".git/worktrees")) {
			t.Errorf("%s: something is left", c.want)
		}
	}
	dir := repository(t)
	t.Setenv("PATH", t.TempDir())
	_, err := git.AddWorktree(t.Context(), git.WorktreeOptions{Workspace: dir, Dir: filepath.Join(t.TempDir(), "one")})
	if err == nil || !strings.Contains(err.Error(), "needs a git repository with a commit: git is not installed") {
		t.Errorf("got the error %v", err)
	}
}

// A canceled call leaves nothing behind.
func TestCancelWhileAddingAWorktree(t *testing.T) {
	dir := repository(t)
	for i := range 30 {
		write(t, dir, fmt.Sprintf("many/%d.txt", i), strings.Repeat("text\n", 100))
	}
	parent := t.TempDir()
	place := git.WorktreeOptions{Workspace: dir, Dir: filepath.Join(parent, "one")}
	canceled := 0
	for after := time.Millisecond; ; after += after/2 + 1 {
		ctx, stop := context.WithTimeout(t.Context(), after)
		w, err := git.AddWorktree(ctx, place)
		stop()
		if err == nil {
			if err := w.Remove(); err != nil {
				t.Fatal(err)
			}
			break
		}
		if canceled++; !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, want the context's error", err)
		}
		if left := contents(t, parent); len(left) > 0 || exists(filepath.Join(dir, ".git/worktrees")) {
			t.Fatalf("after %v: left behind: %v", after, left)
		}
	}
	if canceled == 0 {
		t.Error("no call was canceled")
	}
}

func TestRemoveAWorktree(t *testing.T) {
	dir := repository(t)
	before := texts(t, dir)
	parent := t.TempDir()
	other := filepath.Join(t.TempDir(), "other")
	plain(t, dir, "worktree", "add", "-q", "-b", "two", other, "HEAD")
	w, err := git.AddWorktree(t.Context(), git.WorktreeOptions{Workspace: dir, Dir: filepath.Join(parent, "one")})
	if err != nil {
		t.Fatal(err)
	}
	write(t, w.Dir(), "cache/read-only/x", "x\n")
	if err := os.Chmod(filepath.Join(w.Dir(), "cache/read-only"), 0o500); err != nil {
		t.Fatal(err)
	}
	link(t, dir, filepath.Join(w.Dir(), "to-workspace"))
	if err := w.Remove(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) > 0 {
		t.Errorf("got %v, %v, want an empty directory", entries, err)
	}
	expect(t, "files of the workspace", texts(t, dir), before)
	if got := plain(t, dir, "worktree", "list"); strings.Count(got, "\n") != 1 || !strings.Contains(got, other) {
		t.Errorf("got the worktrees\n%s\nwant only the user's", got)
	}
}

// The entry of a worktree that was moved or replaced is left alone.
func TestRemoveSparesOtherEntries(t *testing.T) {
	dir := repository(t)
	w, err := git.AddWorktree(t.Context(), git.WorktreeOptions{Workspace: dir, Dir: filepath.Join(t.TempDir(), "one")})
	if err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(t.TempDir(), "moved")
	plain(t, dir, "worktree", "move", w.Dir(), moved)
	if err := w.Remove(); err != nil {
		t.Fatal(err)
	}
	if got := plain(t, dir, "worktree", "list"); !strings.Contains(got, moved) {
		t.Errorf("got the worktrees\n%s", got)
	}
}

// Metadata is never written through a link that leads out of the git directory.
func TestWorktreesDirectoryIsALink(t *testing.T) {
	dir := repository(t)
	outside := t.TempDir()
	link(t, outside, filepath.Join(dir, ".git/worktrees"))
	at := filepath.Join(t.TempDir(), "one")
	w, err := git.AddWorktree(t.Context(), git.WorktreeOptions{Workspace: dir, Dir: at})
	if err == nil {
		w.Close()
		t.Error("got no error")
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 || exists(at) {
		t.Errorf("something was written: %v", entries)
	}
}

// asChild is set in the environment of a test process that makes a worktree and waits
// to be killed.
const asChild = "AGENT_TEST_WORKTREE"

func TestMain(m *testing.M) {
	if place := os.Getenv(asChild); place != "" {
		workspace, dir, _ := strings.Cut(place, "\n")
		if _, err := git.AddWorktree(context.Background(), git.WorktreeOptions{Workspace: workspace, Dir: dir}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("made")
		<-time.After(time.Hour) // without cgo, select {} would end the program as a deadlock
	}
	os.Exit(m.Run())
}

// RemoveStale removes the worktrees of killed programs, and no others.
func TestWorktreesOfKilledPrograms(t *testing.T) {
	dir, parent := repository(t), t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asChild+"="+dir+"\n"+filepath.Join(parent, "killed"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	line := make([]byte, 5)
	if n, _ := out.Read(line); !bytes.Equal(line[:n], []byte("made\n")) {
		t.Fatalf("got %q", line[:n])
	}
	stale := func(age time.Duration) int {
		t.Helper()
		n, err := git.RemoveStale(t.Context(), parent, age)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := stale(0); n != 0 {
		t.Errorf("removed %d worktrees of a running program", n)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if n := stale(time.Hour); n != 0 {
		t.Errorf("removed %d worktrees that are too new", n)
	}
	if !strings.Contains(plain(t, dir, "worktree", "list"), "killed") {
		t.Error("the worktree is gone too early")
	}
	if n := stale(0); n != 1 || exists(filepath.Join(parent, "killed")) {
		t.Errorf("removed %d worktrees, want 1", n)
	}
	if list := plain(t, dir, "worktree", "list"); strings.Contains(list, "killed") {
		t.Errorf("got the worktrees\n%s", list)
	}
	if n, err := git.RemoveStale(t.Context(), filepath.Join(parent, "none"), 0); n != 0 || err != nil {
		t.Errorf("got %d, %v for a directory that does not exist", n, err)
	}
}
