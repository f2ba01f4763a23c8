package history_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"testing"

	"agent/internal/history"
)

func TestDraftIsRestored(t *testing.T) {
	s := history.Open(t.TempDir())
	l := s.Create(history.Header{ID: "x"})
	draft := func(want string) {
		t.Helper()
		got, err := l.Draft()
		if err != nil {
			t.Error(err)
		}
		same(t, string(got), want)
	}
	save := func(text string) {
		t.Helper()
		if err := l.SaveDraft([]byte(text)); err != nil {
			t.Error(err)
		}
	}
	save("before there is a session")
	draft("")
	fill(t, l, 1, 1)
	save("hello\nw\x00rld")
	save("hello\nworld")
	draft("hello\nworld")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.SaveDraft([]byte("late")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after close: %v", err)
	}

	l, problems, err := s.Resume("x")
	if err != nil || problems != nil {
		t.Fatal(problems, err)
	}
	draft("hello\nworld")
	dir := filepath.Dir(l.Path())
	same(t, names(t, dir), []string{"x.draft", "x.jsonl"})
	save("")
	draft("")
	save("")
	same(t, names(t, dir), []string{"x.jsonl"})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestConcurrentDrafts(t *testing.T) {
	l := history.Open(t.TempDir()).Create(history.Header{ID: "x"})
	defer l.Close()
	fill(t, l, 1, 1)
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			for range 20 {
				if err := l.SaveDraft(fmt.Appendf(nil, "draft %d", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	fill(t, l, 2, 100)
	writers.Wait()
	if got, err := l.Draft(); len(got) != len("draft 0") || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	same(t, names(t, filepath.Dir(l.Path())), []string{"x.draft", "x.jsonl"})
}
