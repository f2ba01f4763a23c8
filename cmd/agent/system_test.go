package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// systemOf returns the system prompt of a request.
func systemOf(t *testing.T, r wireRequest) string {
	t.Helper()
	if len(r.Messages) == 0 || r.Messages[0].Role != "system" {
		t.Fatalf("the request has no system prompt: %.300s", r.body)
	}
	return string(r.Messages[0].Content)
}

// The flags win over the configuration, a resumed session keeps its system prompt, and a
// file that cannot be used is an error before anything is sent.
func TestSystemPrompt(t *testing.T) {
	t.Parallel()
	s := serve(t, say("one"), say("two"), say("three"), say("four"), say("five"))
	h := newHome(t, map[string]string{"own.md": "You are a reviewer.\n", "empty.md": " \n"}, at(s)...)
	h.configure(t, `{"append_system": "@rules.md"}`)
	if err := os.WriteFile(filepath.Join(filepath.Dir(h.config()), "rules.md"), []byte("Answer in verse.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want []string
		not  string
	}{
		{[]string{"run", "hi"}, []string{"You are agent", "Answer in verse."}, "reviewer"},
		{[]string{"run", "--append-system", "Answer in prose.", "hi"}, []string{"You are agent", "Answer in prose."}, "verse"},
		{[]string{"run", "--system", "@own.md", "hi"}, []string{"You are a reviewer.", "Answer in verse."}, "You are agent"},
		{[]string{"run", "--continue", "more"}, []string{"You are a reviewer.", "Answer in verse."}, "You are agent"},
		{[]string{"run", "--continue", "--system", "Be kind.", "more"}, []string{"Be kind.", "Answer in verse."}, "reviewer"},
	} {
		if out, code := h.agent(t, c.args...); code != 0 {
			t.Fatalf("%q: exit code %d: %s", c.args, code, out)
		}
		seen := s.seen()
		got := systemOf(t, seen[len(seen)-1])
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%q: got %q, want %q in it", c.args, got, want)
			}
		}
		if strings.Contains(got, c.not) {
			t.Errorf("%q: got %q, want no %q", c.args, got, c.not)
		}
	}
	before := len(s.seen())
	for arg, want := range map[string]string{"@missing.md": "missing.md", "@empty.md": "empty.md is empty", "@.": "directory"} {
		out, code := h.agent(t, "run", "--system", arg, "hi")
		if code != 2 || !strings.Contains(out, "--system: ") || !strings.Contains(out, want) {
			t.Errorf("%s: got exit code %d and %s", arg, code, out)
		}
	}
	if len(s.seen()) != before {
		t.Error("a request was sent")
	}
}
