package scan_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/snapshot"
	"agent/internal/tools/snapshot/scan"
)

// store is a snapshot.Contents in memory.
type store struct {
	mu       sync.Mutex
	contents map[string]string
	before   func() error // runs before each Put; may be nil
}

func (s *store) Put(r io.Reader) (string, int64, error) {
	if s.before != nil {
		if err := s.before(); err != nil {
			return "", 0, err
		}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return "", 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := sha256.Sum256(b)
	hash := hex.EncodeToString(sum[:])
	s.contents[hash] = string(b)
	return hash, int64(len(b)), nil
}

// workspace is a directory with a Scanner.
type workspace struct {
	*testing.T
	dir   string
	store *store
	scan  *scan.Scanner
}

// newWorkspace returns a workspace with files. A name that ends with a slash is a
// directory.
func newWorkspace(t *testing.T, files map[string]string) *workspace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &workspace{T: t, dir: dir, store: &store{contents: map[string]string{}}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w.write(name, files[name])
	}
	w.open(scan.Options{})
	return w
}

func (w *workspace) open(o scan.Options) {
	w.Helper()
	if o.Roots == nil {
		o.Roots = []string{w.dir}
	}
	o.Store = w.store
	if o.Wait == 0 {
		o.Wait = time.Minute // the system may be slow
	}
	s := scan.New(o)
	w.Cleanup(s.Close)
	w.scan = s
}

func (w *workspace) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *workspace) in(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *workspace) write(name, text string) {
	w.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.in(name)), 0o755))
	if strings.HasSuffix(name, "/") {
		w.must(os.MkdirAll(w.in(name), 0o755))
		return
	}
	w.must(os.WriteFile(w.in(name), []byte(text), 0o644))
}

// change returns what a command changes: by path, the state before in short form.
func (w *workspace) change(command func()) map[string]string {
	w.Helper()
	c := w.scan.Begin(context.Background())
	command()
	touched, err := c.Changes(context.Background(), nil)
	w.must(err)
	return w.short(touched)
}

// short returns states by path: the kind, mode and content, or the Lost.
func (w *workspace) short(touched []snapshot.Touched) map[string]string {
	w.Helper()
	all := map[string]string{}
	for _, t := range touched {
		rel, err := filepath.Rel(w.dir, t.Path)
		w.must(err)
		b := t.Before
		text := string(b.Kind)
		if b.Kind == snapshot.File || b.Kind == snapshot.Dir {
			text += fmt.Sprintf(" %o", b.Mode)
		}
		switch {
		case b.Lost != "":
			text = b.Lost
		case b.Kind == snapshot.File:
			content, ok := w.store.contents[b.Hash]
			if !ok || int64(len(content)) != b.Size {
				w.Errorf("%s: content %q of %d bytes is stored: %v", rel, b.Hash, b.Size, ok)
			}
			text += " " + content
		case b.Kind == snapshot.Link:
			text += " " + b.Target
		}
		all[filepath.ToSlash(rel)] = text
	}
	return all
}

func (w *workspace) wants(got, want map[string]string) {
	w.Helper()
	if d := cmp.Diff(want, got); d != "" {
		w.Errorf("changes (-want +got):\n%s", d)
	}
}

func TestEveryKindOfChangeIsFound(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"same": "same", "edited": "old", "longer": "1", "moved": "moved", "removed": "removed", "dir/a": "a", "dir/deep/b": "b",
		"becomes-dir": "file", "becomes-file/x": "x", "touched": "touched", "mode": "mode", ".git/HEAD": "ref", "sub/.git": "gitdir: x", "empty/": "", "replaced": "12345",
	})
	w.must(os.Symlink("same", w.in("link")))
	w.must(os.Symlink("same", w.in("retargeted")))
	w.must(os.Symlink("..", w.in("dir/circle")))
	got := w.change(func() {
		w.write("edited", "new")
		w.write("longer", "12")
		w.must(os.Rename(w.in("moved"), w.in("dir/moved")))
		w.must(os.Remove(w.in("removed")))
		w.must(os.RemoveAll(w.in("dir/deep")))
		w.must(os.Remove(w.in("becomes-dir")))
		w.write("becomes-dir/y", "y")
		w.must(os.RemoveAll(w.in("becomes-file")))
		w.write("becomes-file", "now a file")
		w.must(os.Chtimes(w.in("touched"), time.Unix(1, 0), time.Unix(1, 0)))
		w.must(os.Chmod(w.in("mode"), 0o755))
		w.must(os.Remove(w.in("link")))
		w.must(os.Remove(w.in("retargeted")))
		w.must(os.Symlink("edited", w.in("retargeted")))
		w.must(os.Remove(w.in("empty")))
		w.write("fresh/z", "z")
		w.write(".git/HEAD", "another")
		w.write("sub/.git", "another")
		w.write("replacement", "54321")
		w.must(os.Rename(w.in("replacement"), w.in("replaced")))
	})
	w.wants(got, map[string]string{
		"edited": "file 644 old", "longer": "file 644 1", "moved": "file 644 moved", "dir/moved": "absent", "removed": "file 644 removed",
		"dir/deep": "dir 755", "dir/deep/b": "file 644 b", "becomes-dir": "file 644 file", "becomes-dir/y": "absent",
		"becomes-file": "dir 755", "becomes-file/x": "file 644 x", "mode": "file 644 mode", "link": "link same", "retargeted": "link same",
		"empty": "dir 755", "fresh": "absent", "fresh/z": "absent", "replaced": "file 644 12345",
	})
	if got := w.change(func() {}); len(got) > 0 {
		t.Errorf("a command that changes nothing changed %v", got)
	}
	w.wants(w.change(func() { w.write("edited", "newer") }), map[string]string{"edited": "file 644 new"})
}

func TestStrangeNamesAreFound(t *testing.T) {
	files := map[string]string{"line\nbreak": "1", "-rf": "2", " ": "3", "a/\x1b[31m": "4", strings.Repeat("n", 200): "5"}
	if bad := filepath.Join(t.TempDir(), "bad\xff\xfe"); os.WriteFile(bad, nil, 0o644) == nil {
		files["bad\xff\xfe"], files["dir\xff/x"] = "6", "7"
	}
	w := newWorkspace(t, files)
	want := map[string]string{}
	got := w.change(func() {
		for name, text := range files {
			w.write(name, "new "+text)
			want[name] = "file 644 " + text
		}
	})
	w.wants(got, want)
}

func TestContentsThatAreNotCopiedAreLost(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		".gitignore": "*.log\nout/\n", "x.log": "1", "out/deep/y": "2", "large": strings.Repeat("x", scan.MaxCopy+1), "linked": "4", "plain": "5",
	})
	w.must(os.Link(w.in("linked"), w.in("other")))
	got := w.change(func() {
		for _, name := range []string{"x.log", "out/deep/y", "large", "linked", "plain"} {
			w.write(name, "new")
		}
	})
	w.wants(got, map[string]string{
		"x.log": scan.UnsavedIgnored, "out/deep/y": scan.UnsavedIgnored, "large": scan.UnsavedLarge,
		"linked": "it has several hard links", "other": "it has several hard links", "plain": "file 644 5",
	})
}

func TestAStoreThatFailsLosesOnlyItsContents(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a": "1", "b": "2"})
	puts := 0
	w.store.before = func() error {
		if puts++; puts == 1 {
			return errors.New("full")
		}
		return nil
	}
	got := w.change(func() { w.write("a", "x"); w.write("b", "y") })
	lost := slices.DeleteFunc(slices.Collect(maps.Values(got)), func(s string) bool { return strings.HasPrefix(s, "file ") })
	if len(got) != 2 || !slices.Equal(lost, []string{"its old content could not be copied"}) {
		t.Errorf("got %v", got)
	}
}

func TestCopiesStopAtTheirLimit(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a": "12345", "b": "12345", "c": "12345"})
	w.scan.LimitCopies(12)
	got := w.change(func() {
		for _, name := range []string{"a", "b", "c"} {
			w.write(name, "")
		}
	})
	lost := slices.DeleteFunc(slices.Collect(maps.Values(got)), func(s string) bool { return s == "file 644 12345" })
	if len(got) != 3 || !slices.Equal(lost, []string{scan.UnsavedLimit}) {
		t.Errorf("got %v", got)
	}
}

func TestATreeWithTooManyFilesIsNotScanned(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a/b": "1", "c": "2"})
	w.scan.LimitEntries(2)
	got, err := w.scan.Begin(context.Background()).Changes(context.Background(), nil)
	if len(got) > 0 || err == nil || !strings.HasSuffix(err.Error(), "it has more than 500,000 files") {
		t.Errorf("got %v, %v", got, err)
	}
	w.scan.LimitEntries(3)
	w.wants(w.change(func() { w.write("c", "x") }), map[string]string{"c": "file 644 2"})
}

func TestAFileThatChangesWhileItIsCopiedIsNotKnown(t *testing.T) {
	w := newWorkspace(t, map[string]string{"f": "first"})
	w.store.before = func() error {
		w.write("f", "other text")
		w.store.before = nil
		return nil
	}
	w.wants(w.change(func() { w.write("f", "last") }), map[string]string{"f": scan.UnsavedTimeout})
}

func TestTheTimesOfAFileCanHideAChange(t *testing.T) {
	w := newWorkspace(t, map[string]string{"f": "old"})
	name := w.in("f")
	old := time.Now().Add(-time.Hour)
	w.must(os.Chtimes(name, old, old))
	got := w.change(func() {
		w.write("f", "new")
		w.must(os.Chtimes(name, old, old))
	})
	w.wants(got, map[string]string{"f": "file 644 old"})
}

func TestOutsideNamesWhatWasNotTouched(t *testing.T) {
	w := newWorkspace(t, map[string]string{"touched": "1", "daemon": "2", "gone/x": "3", "stays": "4", ".gitignore": "*.log\n", "a.log": "5", "earlier": "6", "removed": "7"})
	w.must(w.scan.Refresh(context.Background()))
	w.write("earlier", "by the user, before the command")
	past := time.Now().Add(-time.Minute)
	outside := func(since time.Time) map[string]string {
		got, err := w.scan.Outside(context.Background(), since, func(path string) bool { return path == w.in("touched") })
		w.must(err)
		return w.short(got)
	}
	if got := outside(time.Now().Add(time.Hour)); len(got) > 0 {
		t.Errorf("changes before the command: %v", got)
	}
	w.write("touched", "x")
	w.write("daemon", "x")
	w.write("a.log", "x")
	w.write("created", "x")
	w.must(os.RemoveAll(w.in("gone")))
	w.must(os.Remove(w.in("removed")))
	w.wants(outside(past), map[string]string{"daemon": scan.UnsavedOutside, "gone/x": scan.UnsavedOutside, "created": scan.UnsavedOutside, "removed": scan.UnsavedOutside})
	if got := outside(past); len(got) > 0 {
		t.Errorf("the same changes again: %v", got)
	}
}

func TestRemovalsBeforeACommandAreNotItsOwn(t *testing.T) {
	w := newWorkspace(t, map[string]string{"dir/sub/x": "1", "y": "2"})
	w.must(w.scan.Refresh(context.Background()))
	w.must(os.RemoveAll(w.in("dir/sub")))
	w.must(os.Remove(w.in("y")))
	got, err := w.scan.Outside(context.Background(), time.Now().Add(time.Hour), nil)
	w.must(err)
	if len(got) > 0 {
		t.Errorf("removed before the command: %v", got)
	}
}

func TestFilesThatVanishDuringAScan(t *testing.T) {
	w := newWorkspace(t, map[string]string{"stays": "1"})
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			name := w.in(fmt.Sprintf("v%d", i%20))
			_ = os.MkdirAll(filepath.Join(name, "deep"), 0o755)
			_ = os.WriteFile(filepath.Join(name, "deep", "f"), []byte("x"), 0o644)
			_ = os.RemoveAll(name)
		}
	}()
	for range 50 {
		w.must(w.scan.Refresh(context.Background()))
	}
	close(stop)
	<-done
	w.wants(w.change(func() { w.write("stays", "2") }), map[string]string{"stays": "file 644 1"})
}

func TestDirectoriesWithoutPermissionAreNotRemoved(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser reads every directory")
	}
	w := newWorkspace(t, map[string]string{"closed/a": "1", "closed/sub/b": "2", "open/c": "3"})
	w.Cleanup(func() { _ = os.Chmod(w.in("closed"), 0o755) })
	w.wants(w.change(func() { w.must(os.Chmod(w.in("closed"), 0)) }), map[string]string{"closed": "dir 755"})
	w.wants(w.change(func() { w.write("open/c", "x") }), map[string]string{"open/c": "file 644 3"})
	w.wants(w.change(func() { w.must(os.Chmod(w.in("closed"), 0o755)) }), map[string]string{"closed": "dir 0"})
	w.wants(w.change(func() { w.must(os.RemoveAll(w.in("closed"))) }), map[string]string{"closed": "dir 755", "closed/a": "file 644 1", "closed/sub": "dir 755", "closed/sub/b": "file 644 2"})
}

func TestManyIgnoredFilesAreScannedOnly(t *testing.T) {
	files := map[string]string{".gitignore": "node_modules\n", "main.js": "1"}
	for i := range 2000 {
		files[fmt.Sprintf("node_modules/p%d/index.js", i%100)+fmt.Sprint(i)] = "x"
	}
	w := newWorkspace(t, files)
	got := w.change(func() {
		w.must(os.RemoveAll(w.in("node_modules/p7")))
		w.write("main.js", "2")
	})
	if got["main.js"] != "file 644 1" || got["node_modules/p7"] != "dir 755" || len(got) != 22 {
		t.Errorf("%d changes: %v", len(got), got)
	}
	if len(w.store.contents) != 2 {
		t.Errorf("%d contents are stored", len(w.store.contents))
	}
}

func TestRootsThatAreTooMuch(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	home, err := filepath.EvalSymlinks(home)
	if err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(home, "project")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &store{contents: map[string]string{}}
	for _, root := range []string{home, filepath.Dir(home), filepath.VolumeName(home) + string(filepath.Separator)} {
		k := scan.New(scan.Options{Roots: []string{root}, Store: s})
		got, err := k.Begin(context.Background()).Changes(context.Background(), nil)
		if got != nil || err == nil || !strings.Contains(err.Error(), "is not examined") {
			t.Errorf("%s: %v, %v", root, got, err)
		}
		k.Close()
	}
	k := scan.New(scan.Options{Roots: []string{inside}, Store: s, Wait: time.Minute})
	if _, err := k.Begin(context.Background()).Changes(context.Background(), nil); err != nil {
		t.Error(err)
	}
	k.Close()
}

func TestRootsInRootsAreScannedOnce(t *testing.T) {
	w := newWorkspace(t, map[string]string{"sub/a": "1", "skipped/b": "2"})
	other, err := filepath.EvalSymlinks(t.TempDir())
	w.must(err)
	w.must(os.WriteFile(filepath.Join(other, "c"), []byte("3"), 0o644))
	w.open(scan.Options{Roots: []string{w.in("sub"), w.dir, other, w.dir}, Skip: []string{w.in("skipped")}})
	c := w.scan.Begin(context.Background())
	w.write("sub/a", "x")
	w.write("skipped/b", "x")
	w.must(os.Remove(filepath.Join(other, "c")))
	got, err := c.Changes(context.Background(), nil)
	w.must(err)
	var paths []string
	for _, t := range got {
		paths = append(paths, t.Path)
	}
	if want := []string{w.in("sub/a"), filepath.Join(other, "c")}; !slices.Equal(paths, want) {
		t.Errorf("got %q, want %q", paths, want)
	}
}

// always makes a Scanner copy files from the first Refresh on.
func always() bool { return true }

func TestNothingIsReadBeforeItIsAskedFor(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a": "1"})
	w.must(w.scan.Refresh(context.Background()))
	if len(w.store.contents) > 0 {
		t.Error("a Scanner that is not eager copied files")
	}
	w.open(scan.Options{Eager: always})
	if len(w.store.contents) > 0 {
		t.Error("New copied files")
	}
	w.must(w.scan.Refresh(context.Background()))
	if want := map[string]string{"6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b": "1"}; !maps.Equal(w.store.contents, want) {
		t.Errorf("stored: %v", w.store.contents)
	}
}

func TestAChangeWithinATickOfTheClockIsFound(t *testing.T) {
	w := newWorkspace(t, map[string]string{"f": "old", "same": "same", "unknown.log": "1", ".gitignore": "*.log\n"})
	got := w.change(func() {
		w.write("f", "new")
		w.write("same", "same")
		w.must(w.scan.HideChanges())
	})
	w.wants(got, map[string]string{"f": "file 644 old"})
}
