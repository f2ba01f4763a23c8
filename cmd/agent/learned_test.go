package main

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
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
