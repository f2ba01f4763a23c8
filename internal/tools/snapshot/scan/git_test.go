package scan_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/tools/snapshot/scan"
)

// git runs git in the workspace. No configuration of the system applies.
func (w *workspace) git(args ...string) {
	w.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// age makes files older than the index of git, as they are in any repository that was
// not written a moment ago. Each call needs another number of hours, because git does not
// store a change of less than a second.
func (w *workspace) age(hours int) {
	w.Helper()
	old := time.Now().Add(-time.Duration(hours) * time.Hour)
	w.must(filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && d.Type().IsRegular() {
			err = os.Chtimes(path, old, old)
		}
		return err
	}))
	w.git("update-index", "-q", "--refresh")
}

// newRepository returns a workspace with a commit of files.
func newRepository(t *testing.T, files map[string]string, initialize ...string) *workspace {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := newWorkspace(t, files)
	w.git(append([]string{"init", "-q"}, initialize...)...)
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "first")
	w.age(1)
	w.open(scan.Options{Eager: always})
	return w
}

// copied returns which contents were copied before any command.
func (w *workspace) copied() string {
	w.Helper()
	w.must(w.scan.Refresh(context.Background()))
	var all []string
	for _, c := range w.store.contents {
		all = append(all, strings.TrimSpace(c))
	}
	return strings.Join(all, " ")
}

func TestCleanFilesComeFromGit(t *testing.T) {
	for _, format := range [][]string{nil, {"--object-format=sha256"}} {
		for _, version := range []string{"2", "3", "4"} {
			t.Run(version+strings.Join(format, ""), func(t *testing.T) {
				files := map[string]string{"clean": "clean\n", "dir/removed": "removed\n", "dir/deep/empty": "", "dirty": "old\n", "staged": "old\n", "dir/x\ny": "name\n", "dirz": "z\n", ".gitignore": "*.log\n"}
				w := newRepository(t, files, format...)
				w.git("update-index", "--index-version", version)
				if version == "3" {
					w.git("update-index", "--skip-worktree", "dirz")
				}
				w.write("dirty", "mine\n")
				w.write("staged", "staged\n")
				w.git("add", "staged")
				w.write("untracked", "untracked\n")
				w.write("x.log", "ignored\n")
				if got := w.copied(); len(w.store.contents) > 3 || !strings.Contains(got, "mine") || !strings.Contains(got, "untracked") {
					t.Errorf("copied: %s", got)
				}
				got := w.change(func() {
					for name := range files {
						w.write(name, "formatted")
					}
					w.must(os.RemoveAll(w.in("dir")))
					w.must(os.Remove(w.in("untracked")))
				})
				w.wants(got, map[string]string{
					"clean": "file 644 clean\n", "dir": "dir 755", "dir/removed": "file 644 removed\n", "dir/deep": "dir 755", "dir/deep/empty": "file 644 ",
					"dirty": "file 644 mine\n", "staged": "file 644 staged\n", "dir/x\ny": "file 644 name\n", "dirz": "file 644 z\n",
					"untracked": "file 644 untracked\n", ".gitignore": "file 644 *.log\n",
				})
			})
		}
	}
}

func TestASubdirectoryOfARepository(t *testing.T) {
	w := newRepository(t, map[string]string{"sub/a": "1\n", "a": "2\n", "subway/a": "3\n"})
	w.open(scan.Options{Roots: []string{w.in("sub")}, Eager: always})
	if got := w.copied(); got != "" {
		t.Errorf("copied: %s", got)
	}
	w.wants(w.change(func() { w.write("sub/a", "x") }), map[string]string{"sub/a": "file 644 1\n"})
}

func TestFilesThatGitConvertsAreCopied(t *testing.T) {
	w := newRepository(t, map[string]string{
		".gitattributes": "*.txt text\n*.id ident\n*.bin filter=secret\n", "crlf.txt": "a\r\nb\r\n", "lf.txt": "a\nb\n", "x.id": "$Id$\n", "y.bin": "filtered\n", "z.c": "a\r\n",
	})
	w.git("config", "core.autocrlf", "input")
	if got := w.copied(); len(w.store.contents) != 3 {
		t.Errorf("copied: %q", got)
	}
	got := w.change(func() {
		for _, name := range []string{"crlf.txt", "lf.txt", "x.id", "y.bin", "z.c"} {
			w.write(name, "formatted")
		}
	})
	w.wants(got, map[string]string{
		"crlf.txt": "file 644 a\r\nb\r\n", "lf.txt": "file 644 a\nb\n", "x.id": "file 644 $Id$\n", "y.bin": "file 644 filtered\n", "z.c": "file 644 a\r\n",
	})
}

func TestAttributesOfTheRepositoryAreKnown(t *testing.T) {
	w := newRepository(t, map[string]string{"y.bin": "filtered\n", "z": "z\n"})
	w.write(".git/info/attributes", "*.bin filter=secret\n")
	if got := w.copied(); got != "filtered" {
		t.Errorf("copied: %q", got)
	}
}

func TestIndexesThatCannotBeReadAreNotTrusted(t *testing.T) {
	for name, change := range map[string]func(w *workspace){
		"split":   func(w *workspace) { w.git("update-index", "--split-index") },
		"cut":     func(w *workspace) { w.must(os.Truncate(w.in(".git/index"), 100)) },
		"empty":   func(w *workspace) { w.must(os.Truncate(w.in(".git/index"), 0)) },
		"missing": func(w *workspace) { w.must(os.Remove(w.in(".git/index"))) },
		"objects": func(w *workspace) { w.must(os.RemoveAll(w.in(".git/objects"))) },
		"recent": func(w *workspace) {
			old := time.Now().Add(-2 * time.Hour)
			w.must(os.Chtimes(w.in(".git/index"), old, old))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newRepository(t, map[string]string{"a": "1\n", "b": "2\n"})
			change(w)
			if w.copied(); len(w.store.contents) != 2 {
				t.Errorf("copied: %v", w.store.contents)
			}
			w.wants(w.change(func() { w.write("a", "x") }), map[string]string{"a": "file 644 1\n"})
		})
	}
}

func TestSparseCheckouts(t *testing.T) {
	w := newRepository(t, map[string]string{"in/a": "1\n", "out/b": "2\n", "top": "3\n"})
	w.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
	w.age(2)
	if w.copied(); len(w.store.contents) > 0 {
		t.Errorf("copied: %v", w.store.contents)
	}
	w.wants(w.change(func() { w.write("in/a", "x"); w.must(os.Remove(w.in("top"))) }), map[string]string{"in/a": "file 644 1\n", "top": "file 644 3\n"})
}

func TestABlobThatIsGoneIsLost(t *testing.T) {
	w := newRepository(t, map[string]string{"a": "1\n", "b": "2\n"})
	w.must(w.scan.Refresh(context.Background()))
	got := w.change(func() {
		w.write("a", "x")
		w.must(os.RemoveAll(w.in(".git/objects")))
	})
	w.wants(got, map[string]string{"a": "git no longer has its old content"})
}

func TestCheckoutsAndCommitsByCommands(t *testing.T) {
	w := newRepository(t, map[string]string{"a": "1\n", "b": "2\n"})
	w.git("switch", "-q", "-c", "other")
	w.write("a", "other\n")
	w.git("commit", "-q", "-a", "-m", "second")
	w.age(1)
	w.wants(w.change(func() { w.git("switch", "-q", "-") }), map[string]string{"a": "file 644 other\n"})
	w.write("b", "staged\n")
	w.wants(w.change(func() { w.git("reset", "-q", "--hard") }), map[string]string{"b": "file 644 staged\n"})
	if got := w.change(func() { w.age(3) }); len(got) > 0 {
		t.Errorf("touched files are changes: %v", got)
	}
}
