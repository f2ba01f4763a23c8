package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"agent/internal/history"
)

// Sessions of a directory whose name is not valid UTF-8 are found.
func TestNonUTF8Directory(t *testing.T) {
	s := history.Open(t.TempDir())
	dir := "/home/M\xfc\xffller\n"
	begin(t, s, history.Header{ID: "x", Dir: dir}, 1)
	infos, err := s.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	same(t, len(infos), 1)
	same(t, infos[0].Dir, string([]rune(dir)))
}

// Last in a directory without sessions does not read every other session.
func TestLastReadsRecentSessions(t *testing.T) {
	root := t.TempDir()
	s := history.Open(root)
	l := s.Create(history.Header{ID: "here", Dir: "/here"})
	if err := l.Append([]byte(`{"type":"model"}`), false); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	last := func() string {
		t.Helper()
		body, err := s.Last("/here", "model", nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	newer := time.Now().Add(time.Hour)
	add := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			path := filepath.Join(root, "sessions", fmt.Sprintf("s%d.jsonl", i))
			if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, newer, newer); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(0, 999)
	same(t, strconv.Quote(last()) != `""`, true)
	add(999, 1000)
	same(t, last(), "")
}
