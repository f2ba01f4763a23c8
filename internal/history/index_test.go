package history_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/history"
)

// gist is a summary for tests: the joined bodies.
type gist struct {
	mu      sync.Mutex
	version string
	calls   []string // arguments of each call: before and the number of records
}

func (g *gist) summariser() history.Summariser {
	return history.Summariser{Version: g.version, Add: g.add}
}

func (g *gist) add(before json.RawMessage, records iter.Seq2[history.Record, error]) json.RawMessage {
	var all string
	if before != nil {
		if err := json.Unmarshal(before, &all); err != nil {
			return nil
		}
	}
	n := 0
	for r, err := range records {
		if err == nil {
			all += string(r.Body)
			n++
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls = append(g.calls, fmt.Sprintf("%d bytes and %d records", len(before), n))
	text, _ := json.Marshal(all)
	return text
}

// index lists s with g, and returns the summaries by session ID and the calls
// of g.
func index(t *testing.T, s *history.Store, g *gist) (got map[string]string, calls []string) {
	t.Helper()
	g.calls = nil
	entries, err := s.Index(context.Background(), g.summariser())
	if err != nil {
		t.Fatal(err)
	}
	got = map[string]string{}
	for _, e := range entries {
		var text string
		if err := json.Unmarshal(e.Summary, &text); err != nil {
			t.Fatal(err)
		}
		got[e.ID] = text
	}
	slices.Sort(g.calls)
	return got, g.calls
}

// three creates the sessions a, b and x with 1, 2 and 3 records.
func three(t *testing.T) (s *history.Store, dir string) {
	t.Helper()
	s = history.Open(t.TempDir())
	for i, id := range []string{"a", "b", "x"} {
		dir = filepath.Dir(begin(t, s, history.Header{ID: id, Dir: "/" + id}, i+1))
	}
	return s, dir
}

// bare returns the summaries of three.
func bare() map[string]string {
	return map[string]string{"a": body(1), "b": body(1) + body(2), "x": body(1) + body(2) + body(3)}
}

func TestIndexUpdatesOnlyChangedSessions(t *testing.T) {
	s, dir := three(t)
	g := &gist{}
	got, calls := index(t, s, g)
	same(t, got, bare())
	same(t, calls, []string{"0 bytes and 1 records", "0 bytes and 2 records", "0 bytes and 3 records"})
	st, err := os.Stat(filepath.Join(dir, ".index"))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		same(t, st.Mode().Perm(), os.FileMode(0o600))
	}

	got, calls = index(t, s, g)
	same(t, got, bare())
	same(t, calls, nil)

	// A session that grew is summarized from where the summary ended.
	got, _ = index(t, s, g)
	reopen(t, s)
	want := bare()
	want["x"] += body(99)
	before, _ := json.Marshal(got["x"])
	got, calls = index(t, s, g)
	same(t, got, want)
	same(t, calls, []string{fmt.Sprintf("%d bytes and 1 records", len(before))})

	// Removed sessions disappear and new ones are added.
	if err := s.Remove("b"); err != nil {
		t.Fatal(err)
	}
	begin(t, s, history.Header{ID: "c"}, 1)
	delete(want, "b")
	want["c"] = body(1)
	got, calls = index(t, s, g)
	same(t, got, want)
	same(t, calls, []string{"0 bytes and 1 records"})

	// Another version of the program computes everything again.
	g.version = "2"
	got, calls = index(t, s, g)
	same(t, got, want)
	same(t, len(calls), 3)
}

func TestIndexMatchesList(t *testing.T) {
	s, _ := three(t)
	for range 2 { // computed, then read from the file
		entries, err := s.Index(context.Background(), (&gist{}).summariser())
		if err != nil {
			t.Fatal(err)
		}
		list, err := s.List("")
		if err != nil {
			t.Fatal(err)
		}
		var infos []history.Info
		for _, e := range entries {
			infos = append(infos, e.Info)
		}
		for i := range infos { // a decoded time has another name for its zone
			if infos[i].Time.Equal(list[i].Time) {
				infos[i].Time = list[i].Time
			}
		}
		same(t, infos, list)
	}
	empty := history.Open(t.TempDir())
	if entries, err := empty.Index(context.Background(), (&gist{}).summariser()); err != nil || len(entries) != 0 {
		t.Errorf("index of nothing: %v, %v", entries, err)
	}
}

func TestDamagedIndexIsRebuilt(t *testing.T) {
	s, dir := three(t)
	g := &gist{}
	index(t, s, g)
	path := filepath.Join(dir, ".index")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(damaged []byte) {
		t.Helper()
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		got, _ := index(t, s, g)
		same(t, got, bare())
	}
	for i := 0; i < len(text); i += 11 {
		flipped := bytes.Clone(text)
		flipped[i] ^= 1
		check(flipped)
		check(text[:i])
	}
	check(make([]byte, len(text)))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil { // it cannot be written either
		t.Fatal(err)
	}
	got, _ := index(t, s, g)
	same(t, got, bare())
}

// A session that was replaced under the same name is summarized from its
// beginning.
func TestIndexReplacedSession(t *testing.T) {
	s, _ := three(t)
	g := &gist{}
	index(t, s, g)
	at := time.Unix(1763689392, 0)
	for _, n := range []int{4, 6} { // at another time, and at the same time with other records
		if err := s.Remove("x"); err != nil {
			t.Fatal(err)
		}
		l := s.Create(history.Header{ID: "x", Time: at})
		fill(t, l, 10*n, 11*n)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		got, _ := index(t, s, g)
		same(t, got["x"], strings.Join(wanted(10*n, 11*n), ""))
	}
}

func TestConcurrentIndexes(t *testing.T) {
	s, dir := three(t)
	l, _, err := s.Resume("x")
	if err != nil {
		t.Fatal(err)
	}
	var programs sync.WaitGroup
	for range 4 {
		programs.Go(func() {
			for range 10 {
				if _, err := s.Index(context.Background(), (&gist{}).summariser()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	fill(t, l, 4, 100)
	programs.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got, _ := index(t, s, &gist{})
	want := bare()
	want["x"] = strings.Join(wanted(1, 100), "")
	same(t, got, want)
	same(t, names(t, dir), []string{".index", "a.jsonl", "b.jsonl", "x.jsonl"})
}

func TestCanceledIndexKeepsSummaries(t *testing.T) {
	s, _ := three(t)
	ctx, stop := context.WithCancel(context.Background())
	g := &gist{}
	first := history.Summariser{Add: func(before json.RawMessage, records iter.Seq2[history.Record, error]) json.RawMessage {
		defer stop()
		return g.add(before, records)
	}}
	if _, err := s.Index(ctx, first); !errors.Is(err, context.Canceled) {
		t.Fatalf("index: %v", err)
	}
	made := len(g.calls)
	got, calls := index(t, s, g)
	same(t, got, bare())
	if made == 0 || len(calls) != 3-made {
		t.Errorf("%d were made before and %d after", made, len(calls))
	}
}

func TestInvalidSummary(t *testing.T) {
	s, _ := three(t)
	for range 2 {
		entries, err := s.Index(context.Background(), history.Summariser{Add: func(json.RawMessage, iter.Seq2[history.Record, error]) json.RawMessage {
			return json.RawMessage("{")
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if len(e.Summary) != 0 {
				t.Errorf("summary %q", e.Summary)
			}
		}
	}
}
