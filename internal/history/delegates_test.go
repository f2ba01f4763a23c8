package history_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"agent/internal/history"
)

// family returns a store with session p, its delegates d1 and d2, a delegate d3 of d1,
// a fork f of p, a fork e of d1, and an orphan o, whose parent was deleted. d2 worked
// in a directory of its own. Every session is an hour older than the one before.
func family(t *testing.T) (*history.Store, string) {
	t.Helper()
	root := t.TempDir()
	s := history.Open(root)
	now := time.Now()
	for n, h := range []history.Header{
		{ID: "d1", Dir: "/w", Parent: "p", Agent: "explore"},
		{ID: "d2", Dir: "/w/tree", Parent: "p", Agent: "general"},
		{ID: "d3", Dir: "/w", Parent: "d1", Agent: "review"},
		{ID: "e", Dir: "/w", Parent: "d1", ForkSeq: 1},
		{ID: "f", Dir: "/w", Parent: "p", ForkSeq: 1},
		{ID: "o", Dir: "/w", Parent: "gone", Agent: "explore"},
		{ID: "p", Dir: "/w"},
		{ID: "q", Dir: "/other"},
	} {
		path := begin(t, s, h, 1)
		at := now.Add(time.Duration(-n) * time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return s, root
}

func TestListSessionsOfDelegates(t *testing.T) {
	s, _ := family(t)
	for _, c := range []struct {
		dir             string
		list, delegates []string
	}{
		{"", []string{"e", "f", "p", "q"}, []string{"d1", "d2", "d3", "e", "f", "o", "p", "q"}},
		{"/w", []string{"e", "f", "p"}, []string{"d1", "d2", "d3", "e", "f", "o", "p"}},
		{"/w/tree", nil, nil},
		{"/other", []string{"q"}, []string{"q"}},
	} {
		list, err := s.List(c.dir)
		if err != nil {
			t.Fatal(err)
		}
		same(t, ids(list), c.list)
		list, err = s.ListWithDelegates(c.dir)
		if err != nil {
			t.Fatal(err)
		}
		same(t, ids(list), c.delegates)
	}
	body, err := s.Last("/w/tree", "event", nil)
	if err != nil || body != nil {
		t.Errorf("got the last record %s of a delegate, %v", body, err)
	}
}

func TestRemoveSessionsOfDelegates(t *testing.T) {
	s, root := family(t)
	if err := s.Remove("p"); err != nil {
		t.Fatal(err)
	}
	left, err := s.ListWithDelegates("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, ids(left), []string{"e", "f", "o", "q"})
	same(t, len(names(t, filepath.Join(root, "sessions"))), 4)
}

func TestRemoveKeepsTheParentOfAnOpenDelegate(t *testing.T) {
	root := t.TempDir()
	s := history.Open(root)
	begin(t, s, history.Header{ID: "p"}, 1)
	begin(t, s, history.Header{ID: "x", Parent: "p", Agent: "explore"}, 1)
	if _, said := hold(t, root); said != "held\n" {
		t.Fatal(said)
	}
	if err := s.Remove("p"); !errors.Is(err, history.ErrLocked) {
		t.Errorf("got %v, want a locked session", err)
	}
	left, err := s.ListWithDelegates("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, len(left), 2)
}

// The sessions of delegates expire with the session that they belong to.
func TestDelegatesExpireWithTheirParent(t *testing.T) {
	s, _ := family(t)
	now := time.Now()
	removed, err := s.RemoveExpired(t.Context(), now.Add(-150*time.Minute)) // e, f, o, p, q
	if err != nil {
		t.Fatal(err)
	}
	same(t, removed, 5) // d1, d2 and d3 go with p and are not counted
	left, err := s.ListWithDelegates("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, ids(left), nil)
}

// A session of a delegate does not expire before the session that it belongs to.
func TestDelegatesDoNotExpireBeforeTheirParent(t *testing.T) {
	s, _ := family(t)
	path := filepath.Join(filepath.Dir(s.Outputs("p")), "p.jsonl")
	now := time.Now()
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RemoveExpired(t.Context(), now.Add(-30*time.Minute)); err != nil {
		t.Fatal(err)
	}
	left, err := s.ListWithDelegates("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, ids(left), []string{"p", "d1", "d2", "d3"})
}

// The cache of summaries keeps which sessions are of delegates.
func TestIndexOfDelegates(t *testing.T) {
	s, root := family(t)
	sum := history.Summariser{Version: "1", Add: func(before json.RawMessage, records iter.Seq2[history.Record, error]) json.RawMessage {
		for range records {
		}
		return json.RawMessage(`{}`)
	}}
	for range 2 { // the second time from the cache
		entries, err := s.Index(context.Background(), sum)
		if err != nil {
			t.Fatal(err)
		}
		var agents []string
		for _, e := range entries {
			agents = append(agents, e.ID+" "+e.Agent)
		}
		same(t, agents, []string{"d1 explore", "d2 general", "d3 review", "e ", "f ", "o explore", "p ", "q "})
		if _, err := os.Stat(filepath.Join(root, "sessions", ".index")); err != nil {
			t.Fatal(err)
		}
	}
}
