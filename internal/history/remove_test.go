package history_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"agent/internal/history"
)

// names returns the names in a directory.
func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestRemoveDeletesAllFiles(t *testing.T) {
	s := history.Open(t.TempDir())
	dir := filepath.Dir(begin(t, s, history.Header{ID: "xyz"}, 1))
	begin(t, s, history.Header{ID: "xyy"}, 1)
	for _, id := range []string{"xyz", "xyy"} {
		l, _, err := s.Resume(id)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.SaveDraft([]byte("draft")); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(l.Outputs(), "deep"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, id+".torn"), []byte("?"), 0o600); err != nil {
			t.Fatal(err)
		}
		keep(t, s.UndoPath(id), id)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Remove("xyz"); err != nil {
		t.Fatal(err)
	}
	same(t, names(t, dir), []string{".undo.lock", "xyy.draft", "xyy.jsonl", "xyy.out", "xyy.torn", "xyy.undo"})
	if err := s.Remove("xyz"); !errors.Is(err, history.ErrNotFound) {
		t.Errorf("again: %v", err)
	}
	if err := s.Remove("xy"); err != nil { // the prefix is unique now
		t.Fatal(err)
	}
	same(t, names(t, dir), []string{".undo.lock"})
}

func TestRemoveKeepsOpenSession(t *testing.T) {
	root := t.TempDir()
	s := history.Open(root)
	begin(t, s, history.Header{ID: "x"}, 2)
	if _, said := hold(t, root); said != "held\n" {
		t.Fatal(said)
	}
	if err := s.Remove("x"); !errors.Is(err, history.ErrLocked) {
		t.Errorf("removed while open: %v", err)
	}
	got, _ := bodies(t, view(t, s).From(0))
	same(t, got, wanted(1, 2))
}

func TestExpired(t *testing.T) {
	root := t.TempDir()
	s := history.Open(root)
	now := time.Now()
	for id, days := range map[string]int{"a": 40, "b": 20, "c": 50, "x": 60} {
		path := begin(t, s, history.Header{ID: id, Dir: "/" + id}, 1)
		at := now.AddDate(0, 0, -days)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	cmd, said := hold(t, root)
	same(t, said, "held\n")
	infos, err := s.Expired(now.AddDate(0, 0, -30))
	if err != nil {
		t.Fatal(err)
	}
	same(t, ids(infos), []string{"a", "c"})
	same(t, infos[0].Dir, "/a")

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	infos, err = s.Expired(now.AddDate(0, 0, -30))
	if err != nil {
		t.Fatal(err)
	}
	same(t, ids(infos), []string{"a", "c", "x"})
	for _, i := range infos {
		if err := s.Remove(i.ID); err != nil {
			t.Error(err)
		}
	}
	left, err := s.List("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, ids(left), []string{"b"})
}
