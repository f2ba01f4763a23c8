package history_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
)

func ids(infos []history.Info) (ids []string) {
	for _, i := range infos {
		ids = append(ids, i.ID)
	}
	return ids
}

func TestListNewestFirst(t *testing.T) {
	dir := t.TempDir()
	s := history.Open(dir)
	start := time.Unix(1763689392, 0).UTC()
	for i, id := range []string{"a", "b", "c", "d"} {
		project := []string{"/one", "/two"}[i%2]
		path := begin(t, s, history.Header{ID: id, Dir: project, Version: "v", Time: start}, 1)
		modified := start.Add(time.Duration(-i) * time.Hour)
		if err := os.Chtimes(path, modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	sessions := filepath.Join(dir, "sessions")
	for _, name := range []string{"notes.txt", "z.torn", ".y.tmp", ".jsonl"} {
		if err := os.WriteFile(filepath.Join(sessions, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(sessions, "dir.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}

	all, err := s.List("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, ids(all), []string{"a", "b", "c", "d"})
	two, err := s.List("/two")
	if err != nil {
		t.Fatal(err)
	}
	same(t, ids(two), []string{"b", "d"})
	st, err := os.Stat(filepath.Join(sessions, "b.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, two[0], history.Info{
		Header:   history.Header{Format: history.Format, ID: "b", Dir: "/two", Version: "v", Time: start},
		Path:     filepath.Join(sessions, "b.jsonl"),
		Modified: st.ModTime(),
		Size:     st.Size(),
	})
}

func TestListSessionWithoutHeader(t *testing.T) {
	s, _ := place(t, []byte("nothing\n"))
	infos, err := s.List("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, len(infos), 1)
	same(t, infos[0].Header, history.Header{ID: "x"})
}

func TestIDPrefix(t *testing.T) {
	s := history.Open(t.TempDir())
	for _, id := range []string{"abc1", "abc2", "abd", "ab"} {
		begin(t, s, history.Header{ID: id}, 1)
	}
	for prefix, want := range map[string]string{"abc1": "abc1", "abd": "abd", "ab": "ab"} {
		l, _, err := s.Resume(prefix)
		if err != nil {
			t.Fatal(err)
		}
		same(t, l.Header().ID, want)
		l.Close()
	}
	for _, prefix := range []string{"", "x", "../sessions/abd"} {
		if _, _, err := s.Resume(prefix); !errors.Is(err, history.ErrNotFound) {
			t.Errorf("Resume(%q): %v", prefix, err)
		}
		if _, _, err := s.Read(prefix); !errors.Is(err, history.ErrNotFound) {
			t.Errorf("Read(%q): %v", prefix, err)
		}
	}
	_, _, err := s.Resume("abc")
	if err == nil || errors.Is(err, history.ErrNotFound) || !strings.Contains(err.Error(), "abc1, abc2") {
		t.Errorf("Resume of an ID that two begin with: %v", err)
	}
}

func TestNewIDsSortByTime(t *testing.T) {
	s := history.Open(t.TempDir())
	at := time.Unix(1763689392, 0)
	first := s.Create(history.Header{Time: at}).Header().ID
	second := s.Create(history.Header{Time: at.Add(time.Second)}).Header().ID
	if first >= second || len(first) != 12 {
		t.Errorf("IDs %s, %s", first, second)
	}
}

func TestLast(t *testing.T) {
	s := history.Open(t.TempDir())
	l := s.Create(history.Header{ID: "x", Dir: "/one"})
	for i := range 3 {
		if err := l.Append(fmt.Appendf(nil, `{"type":"model","n":%d}`, i), false); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("y", 200<<10) // several blocks of a backward read
	for range 3 {
		if err := l.Append([]byte(`{"type":"modelled","text":"`+long+`"}`), false); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, kind, want string }{
		{"/one", "model", `{"type":"model","n":2}`},
		{"/one", "modelled", `{"type":"modelled","text":"` + long + `"}`},
		{"/one", "user", ""},
		{"/two", "model", ""},
	} {
		got, err := s.Last(c.dir, c.kind, nil)
		if err != nil {
			t.Fatal(err)
		}
		same(t, string(got), c.want)
	}

	skip := func(body json.RawMessage) bool { return strings.HasSuffix(string(body), `"n":2}`) }
	if got, err := s.Last("/one", "model", skip); string(got) != `{"type":"model","n":1}` || err != nil {
		t.Errorf("with the last one skipped: %s, %v", got, err)
	}

	newer := begin(t, s, history.Header{ID: "y", Dir: "/one"}, 1)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(newer, later, later); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Last("/one", "model", nil); got != nil || err != nil {
		t.Errorf("from an older session: %s, %v", got, err)
	}
	guide := s.Create(history.Header{ID: "z", Dir: "/three"})
	if err := guide.Append([]byte(`{"type":"model","n":2}`), false); err != nil {
		t.Fatal(err)
	}
	if err := guide.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Last("/three", "model", skip); got != nil || err != nil {
		t.Errorf("with all skipped: %s, %v", got, err)
	}
}
