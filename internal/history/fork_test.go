package history_test

import (
	"errors"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agent/internal/history"
)

func TestForkCopiesEarlierRecords(t *testing.T) {
	s := history.Open(t.TempDir())
	path := begin(t, s, history.Header{ID: "x", Dir: "/d", Version: "v1"}, 5)
	parent, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ seq, want int }{{0, 0}, {1, 1}, {3, 3}, {5, 5}, {math.MaxInt, 5}, {-1, 0}} {
		l, err := s.Fork("x", c.seq, history.Header{Version: "v2"})
		if err != nil {
			t.Fatal(err)
		}
		h := l.Header()
		same(t, []any{h.Dir, h.Version, h.Parent, h.ForkSeq}, []any{"/d", "v2", "x", c.want})
		if _, _, err := s.Resume(h.ID); !errors.Is(err, history.ErrLocked) {
			t.Errorf("the fork is not held: %v", err)
		}
		fill(t, l, 90, 91)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l, problems, err := s.Resume(h.ID)
		if err != nil || problems != nil {
			t.Fatal(problems, err)
		}
		got, _ := bodies(t, l.Records())
		same(t, got, append(wanted(1, c.want), wanted(90, 91)...))
		same(t, l.Header().ForkSeq, c.want)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	after, _ := os.ReadFile(path)
	same(t, string(after), string(parent))
}

func TestForkDamagedOpenSession(t *testing.T) {
	text, ends := sample(t, 6)
	damaged := slices.Concat([]byte("????"), text[4:ends[2]], make([]byte, ends[3]-ends[2]), text[ends[3]:])
	s, _ := place(t, damaged)
	holder, _, err := s.Resume("x")
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	l, err := s.Fork("x", 5, history.Header{ID: "y", Dir: "/elsewhere"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	h := l.Header()
	same(t, []any{h.Dir, h.Parent, h.ForkSeq}, []any{"/elsewhere", "x", 5})
	got, _ := bodies(t, l.Records())
	same(t, got, []string{body(1), body(2), body(4), body(5)})
	v, err := l.View()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if problems, err := v.Check(t.Context()); problems != nil || err != nil {
		t.Errorf("the fork is damaged: %v, %v", problems, err)
	}
}

func TestForkMissingSession(t *testing.T) {
	s := history.Open(t.TempDir())
	if _, err := s.Fork("x", 1, history.Header{}); !errors.Is(err, history.ErrNotFound) {
		t.Error(err)
	}
}

// given yields bodies and then err, if it is not nil.
func given(err error, bodies ...string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, b := range bodies {
			if !yield([]byte(b), nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func TestCreateFrom(t *testing.T) {
	s := history.Open(t.TempDir())
	l, err := s.CreateFrom(history.Header{ID: "x"}, given(nil, wanted(1, 3)...))
	if err != nil {
		t.Fatal(err)
	}
	fill(t, l, 4, 4)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got, problems := reopen(t, s)
	same(t, got, append(wanted(1, 4), body(99)))
	same(t, problems, nil)
}

func TestCreateFromIsAtomic(t *testing.T) {
	dir := t.TempDir()
	s := history.Open(dir)
	broken := errors.New("the import broke off")
	for _, from := range []iter.Seq2[[]byte, error]{
		given(broken, wanted(1, 3)...),
		given(nil, body(1), `{"no":"type"}`),
		given(nil, body(1), `{"type":"header","format":1}`),
	} {
		if _, err := s.CreateFrom(history.Header{ID: "x"}, from); err == nil {
			t.Error("made")
		}
	}
	if _, err := s.CreateFrom(history.Header{ID: "x"}, given(broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
	left, err := os.ReadDir(filepath.Join(dir, "sessions"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
	begin(t, s, history.Header{ID: "x"}, 1)
	if _, err := s.CreateFrom(history.Header{ID: "x"}, given(nil, body(2))); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another: %v", err)
	}
	_, records, err := s.Read("x")
	if err != nil {
		t.Fatal(err)
	}
	got, _ := bodies(t, records)
	same(t, got, wanted(1, 1))
}
