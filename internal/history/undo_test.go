package history_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/history/blobs"
)

// keep stores a content in the pack at path and returns its hash.
func keep(t *testing.T, path, content string) string {
	t.Helper()
	p, err := blobs.Open(path, blobs.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	sum, _, err := p.Put(strings.NewReader(content))
	if err := errors.Join(err, p.Close()); err != nil {
		t.Fatal(err)
	}
	return sum
}

func TestForkReadsOldContentsOfRemovedSession(t *testing.T) {
	s := history.Open(t.TempDir())
	begin(t, s, history.Header{ID: "x"}, 2)
	sum := keep(t, s.UndoPath("x"), "old content")
	l, err := s.Fork("x", math.MaxInt, history.Header{ID: "y"})
	if err != nil {
		t.Fatal(err)
	}
	keep(t, l.UndoPath(), "another old content")
	xs, all, err := s.UndoSizes("x")
	if err != nil {
		t.Fatal(err)
	}
	ys, _, _ := s.UndoSizes("y")
	if xs == 0 || ys <= xs || all != xs+ys {
		t.Errorf("sizes %d, %d, together %d", xs, ys, all)
	}
	if err := s.Remove("x"); err != nil {
		t.Fatal(err)
	}
	p, err := blobs.Open(l.UndoPath(), blobs.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	got, err := p.Read(sum)
	if err != nil {
		t.Fatal(err)
	}
	same(t, string(got), "old content")
	infos, err := s.List("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, ids(infos), []string{"y"})
	if err := errors.Join(p.Close(), l.Close(), s.Remove("y")); err != nil {
		t.Fatal(err)
	}
	same(t, names(t, s.Dir()), []string{".undo.lock"})
}

func TestUndoSizesWithoutSessions(t *testing.T) {
	own, all, err := history.Open(t.TempDir()).UndoSizes("x")
	same(t, []any{own, all, err}, []any{int64(0), int64(0), nil})
}
