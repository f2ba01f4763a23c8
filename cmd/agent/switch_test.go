package main

import (
	"strings"
	"testing"
)

// TestSwitchingDialects switches between two dialects: each gets the whole
// conversation except the signatures of the other.
func TestSwitchingDialects(t *testing.T) {
	t.Parallel()
	s := serve(t,
		call("read", `{"path":"main.go"}`), say("It says hello."),
		call("list", `{"path":"."}`), say("One file."),
		say("As I said."), say("As I thought."))
	h := newHome(t, map[string]string{"main.go": goFile}, append(at(s), "ANTHROPIC_API_KEY="+testKey, "ANTHROPIC_BASE_URL="+s.URL)...)
	a := h.open(t, 100, 30, "--model", "anthropic/claude-test", "--base-url", s.URL)
	a.wait("anthropic/claude-test", "? help")
	a.send("what does it say?" + enter)
	a.wait("It says hello.", "? help")
	a.send("/model openai/gpt-test" + enter)
	a.wait("openai/gpt-test · 127")
	a.send("what is here?" + enter)
	a.wait("One file.", "? help")
	a.send("and again?" + enter)
	a.wait("As I said.", "? help")
	a.send("/model anthropic/claude-test" + enter)
	a.wait("anthropic/claude-test · 127")
	a.send("once more?" + enter)
	a.wait("As I thought.", "? help")

	requests := s.seen()
	if len(requests) != 6 {
		t.Fatalf("got %d requests, want 6", len(requests))
	}
	for i, dialect := range []string{"anthropic", "anthropic", "openai", "openai", "openai", "anthropic"} {
		r := requests[i]
		if r.key != testKey {
			t.Errorf("request %d: got the key %q", i, r.key)
		}
		if signed := strings.Contains(r.body, "SIGNED"); signed != (dialect == "anthropic" && i > 0) {
			t.Errorf("request %d, in %s: has a signature: %v", i, dialect, signed)
		}
	}
	for _, want := range []string{"what does it say?", `"main.go\"}`, "println", "It says hello.", "what is here?", "One file.", "and again?", "As I said."} {
		if want = strings.ReplaceAll(want, `\"}`, `"}`); !strings.Contains(requests[5].body, want) {
			t.Errorf("the last request does not tell %q:\n%s", want, requests[5].body)
		}
	}
}

// TestLocalServerTakesOver finds a server on this machine while the screen is
// already shown.
func TestLocalServerTakesOver(t *testing.T) {
	t.Parallel()
	ollama := fake(t, map[string]string{
		"GET /api/tags":  `{"models":[{"name":"tiny:1b","model":"tiny:1b"}]}`,
		"POST /api/show": `{"model_info":{"general.architecture":"llama","llama.context_length":8192},"capabilities":["completion","tools"]}`,
	})
	h := newHome(t, nil, "OLLAMA_HOST="+ollama.URL)
	a := h.open(t, 100, 30)
	a.wait("Model: ollama/tiny:1b", "ollama/tiny:1b · 127", "? help")
	if got := a.screen(); strings.Contains(got, "No model is connected") || strings.Contains(got, "agent login") || strings.Contains(got, "Searching") {
		t.Errorf("the screen still says how to connect a model:\n%s", got)
	}
	a.send("hello" + enter)
	a.wait("Local it is.", "? help")
}

// TestLostEventsAreCounted skips unreadable stream events and reports their number.
func TestLostEventsAreCounted(t *testing.T) {
	t.Parallel()
	whole := say("All the same.").completion()
	s := serve(t, answer{raw: "data: {\"choices\":[{\"index\":0,\"delta\":{\n\n" + whole})
	h := newHome(t, nil, at(s)...)
	cmd := h.command("run", "--output", "stream-json", "go")
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), `"lost":1`) || !strings.Contains(string(out), "All the same.") {
		t.Errorf("got %v\n%s", err, out)
	}
}

// TestEffortIsResumed keeps the reasoning effort of a resumed session.
func TestEffortIsResumed(t *testing.T) {
	t.Parallel()
	s := serve(t, say("Gladly."), say("Again."), say("Anew."))
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 100, 30, "--model", "openai/gpt-test")
	a.wait("? help")
	a.send("/effort high" + enter)
	a.wait("openai/gpt-test high · ")
	a.send("hello" + enter)
	a.wait("Gladly.", "? help")
	a.send(ctrlD)
	a.exit()
	for _, c := range []struct{ args, want string }{
		{"--continue", `"reasoning_effort":"high"`},
		{"--continue --effort low", `"reasoning_effort":"low"`},
	} {
		if out, code := h.agent(t, append([]string{"run", "again"}, strings.Fields(c.args)...)...); code != 0 {
			t.Errorf("%s: %s", c.args, out)
		}
		if seen := s.seen(); !strings.Contains(seen[len(seen)-1].body, c.want) {
			t.Errorf("%s: the request has no %s:\n%s", c.args, c.want, seen[len(seen)-1].body)
		}
	}
}
