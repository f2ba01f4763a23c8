package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLearnedAcrossRuns checks that what one run learned about a server, the next one
// knows: no tool calls, and a field that the server rejects.
func TestLearnedAcrossRuns(t *testing.T) {
	t.Parallel()
	reject := func(w http.ResponseWriter, message string) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"message":"` + message + `"}}`))
	}
	s := serveFunc(t, func(s *server, w http.ResponseWriter, r *http.Request) {
		var body strings.Builder
		r.Body = teeBody(r.Body, &body)
		switch {
		case strings.Contains(body.String(), `"stream_options"`):
			s.note(body.String())
			reject(w, "Unknown field: stream_options")
		case strings.Contains(body.String(), `"tools"`):
			s.note(body.String())
			reject(w, "registry.ollama.ai/library/m does not support tools")
		default:
			s.play(w, r)
		}
	}, say("one"), say("two"))
	home := t.TempDir()
	run := func() string {
		cmd := exec.Command("agent", "run", "--base-url", s.URL+"/v1", "--model", "openai/m", "hello")
		cmd.Dir = t.TempDir()
		cmd.Env = []string{"HOME=" + home, "LocalAppData=" + home, "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if out := run(); !strings.Contains(out, "one") || len(s.seen()) != 4 {
		t.Fatalf("the first run made %d requests, want 4: %s", len(s.seen()), out)
	}
	if out := run(); !strings.Contains(out, "two") || len(s.seen()) != 5 || !strings.Contains(out, "openai/m rejected tool calls before, so they are written as text.") {
		t.Errorf("the second run made %d requests, want 1: %s", len(s.seen())-4, out)
	}
}

// TestLearnedFile checks that facts expire, belong to one model at one server, hold no
// secret, and that a damaged file or one of another version counts as empty.
func TestLearnedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "servers.json")
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	open := func() *learnedFile { return &learnedFile{path: path, now: func() time.Time { return now }} }
	facts := func(base, model string) []string { return open().server(base).Facts(model) }

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
	if got := (&learnedFile{now: time.Now}).server("http://h").Facts("m"); got != nil {
		t.Errorf("without a data directory: got %v", got)
	}
}
