package history_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"agent/internal/history"
)

// Move changes the header and no other byte, even of a damaged log.
func TestMoveChangesOnlyTheHeader(t *testing.T) {
	s := history.Open(t.TempDir())
	path := begin(t, s, history.Header{ID: "x", Dir: "/old", Version: "v1"}, 4)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	text = append(text, `{"seq":5,"ty`...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Move("x", "/a/much/longer/path/of/the/new/one", "p"); err != nil {
		t.Fatal(err)
	}
	moved, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, before, _ := bytes.Cut(text, []byte("\n"))
	_, after, _ := bytes.Cut(moved, []byte("\n"))
	same(t, string(after), string(before))
	infos, err := s.List("/a/much/longer/path/of/the/new/one")
	if err != nil {
		t.Fatal(err)
	}
	same(t, len(infos), 1)
	same(t, infos[0].Version+infos[0].Place, "v1p")
	l, problems, err := s.Resume("x")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	same(t, len(problems) >= 2, true) // the damaged record and the incomplete end
	if err := s.Move("x", "/third", ""); !errors.Is(err, history.ErrLocked) {
		t.Errorf("moving an open session: %v", err)
	}
}

// A session without a readable header has no directory to change.
func TestMoveWithoutHeader(t *testing.T) {
	s := history.Open(t.TempDir())
	path := begin(t, s, history.Header{ID: "x", Dir: "/old"}, 2)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[10] ^= 1
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Move("x", "/new", "p"); err != nil {
		t.Fatal(err)
	}
	moved, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, string(moved), string(text))
}

// A directory and a link to it have the same sessions.
func TestSessionsThroughLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "real"), link); err != nil {
		t.Fatal(err)
	}
	s := history.Open(filepath.Join(dir, "state"))
	begin(t, s, history.Header{ID: "x", Dir: link}, 1)
	begin(t, s, history.Header{ID: "y", Dir: filepath.Join(dir, "real")}, 1)
	for _, by := range []string{link, filepath.Join(dir, "real"), filepath.Join(dir, ".", "link")} {
		infos, err := s.List(by)
		if err != nil {
			t.Fatal(err)
		}
		same(t, len(infos), 2)
		infos, err = s.ListWithDelegates(by)
		if err != nil {
			t.Fatal(err)
		}
		same(t, len(infos), 2)
		body, err := s.Last(by, "note", nil)
		if err != nil {
			t.Fatal(err)
		}
		same(t, body != nil, true)
	}
}

// A FileID stays when a directory is renamed, and another directory has another one.
func TestFileIDAfterRename(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is the path")
	}
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.Mkdir(a, 0o755); err != nil {
		t.Fatal(err)
	}
	id := history.FileID(a)
	if err := os.Rename(a, b); err != nil {
		t.Fatal(err)
	}
	same(t, history.FileID(b), id)
	same(t, history.FileID(a), "")
	if err := os.Mkdir(a, 0o755); err != nil {
		t.Fatal(err)
	}
	same(t, history.FileID(a) != id && id != "", true)
}
