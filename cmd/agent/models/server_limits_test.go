package models

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestLearnedFile checks that facts expire, belong to one model at one server, hold no
// secret, and that a damaged file or one of another version counts as empty.
func TestLearnedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "servers.json")
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	open := func() *learnedFile { return &learnedFile{path: path, now: func() time.Time { return now }} }
	facts := func(base, model string) []string { return open().server(base).Limits(model) }

	const base = "http://user:pass@127.0.0.1:8080/v1?key=secret"
	l := open().server(base)
	l.Learn("m", "a")
	now = now.Add(time.Hour)
	open().server(base).Learn("m", "b") // another process
	l.Learn("m", "a")
	if got := facts(base, "m"); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("got %v", got)
	}
	if got := slices.Concat(facts(base, "n"), facts("http://127.0.0.1:8081/v1", "m")); got != nil {
		t.Errorf("another model or server: got %v", got)
	}
	b, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(b), "pass") || strings.Contains(string(b), "secret") {
		t.Errorf("the file holds %s, %v", b, err)
	}
	now = now.Add(learnedFor + time.Minute)
	if got := facts(base, "m"); got != nil {
		t.Errorf("after %s: got %v", learnedFor, got)
	}
	for _, text := range []string{"{", `{"version":9,"facts":[{"base_url":"http://h","model":"m","fact":"a","time":"2026-11-20T00:00:00Z"}]}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := facts("http://h", "m"); got != nil {
			t.Errorf("%s: got %v", text, got)
		}
		open().server("http://h").Learn("m", "c")
		if got := facts("http://h", "m"); !slices.Equal(got, []string{"c"}) {
			t.Errorf("%s, then a fact: got %v", text, got)
		}
	}
	if got := (&learnedFile{now: time.Now}).server("http://h").Limits("m"); got != nil {
		t.Errorf("without a data directory: got %v", got)
	}
}

// TestFactsLearnedAtOnce keeps the facts that other processes learn at the same time.
func TestFactsLearnedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "servers.json")
	open := func() *learnedFile { return &learnedFile{path: path, now: time.Now} }
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { open().server("http://h").Learn("m", fmt.Sprint(i)) })
	}
	all.Wait()
	if got := open().server("http://h").Limits("m"); len(got) != 20 {
		t.Errorf("got %v", got)
	}
}
