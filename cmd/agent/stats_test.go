package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/session"
)

func TestSessionsStats(t *testing.T) {
	t.Parallel()
	s := serve(t,
		call("read", `{"path":"a.txt"}`, "read", `{"path":"none.txt"}`, "edit", `{"path":"a.txt","old":"x","new":"y"}`, "no_such_tool", `{}`),
		call("shell", `{"command":"touch x"}`, "edit", `{"path":"a.txt","old":"one","new":"two"}`),
		say("Done."), say("More."))
	h := newHome(t, map[string]string{"a.txt": "one\n"}, at(s)...)
	h.agent(t, "run", "--model", "openai/m", "--allow", "edit: a.txt", "change it")
	if out, code := h.agent(t, "run", "--continue", "--fork", "more"); code != 0 {
		t.Fatal(out)
	}
	out, code := h.agent(t, "sessions", "stats", "--output", "json")
	var got struct {
		Sessions int
		Models   []session.ModelCount
		Calls    []session.CallCount
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s", code, err, out)
	}
	want := got
	want.Sessions = 2
	want.Models = []session.ModelCount{{Model: "openai/m", Steps: 4, Unpriced: 4, Usage: llm.Usage{Input: 4800, Output: 136}}}
	want.Calls = []session.CallCount{
		{Model: "openai/m", Tool: "edit", Calls: 2, Rejected: 1},
		{Model: "openai/m", Tool: "no_such_tool", Calls: 1, Rejected: 1},
		{Model: "openai/m", Tool: "read", Calls: 2, Rejected: 1},
		{Model: "openai/m", Tool: "shell", Calls: 1, Denied: 1},
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Error(d)
	}
	out, _ = h.agent(t, "sessions", "stats", "--dir", ".")
	if !strings.HasPrefix(out, "2 sessions, 4 steps, price unknown\n") || !strings.HasSuffix(out, "\n1 of 2 edits failed.\n") {
		t.Error(out)
	}
	if out, code := h.agent(t, "sessions", "stats", "--dir", ".."); code != 0 || out != "0 sessions, 0 steps, $0\n" {
		t.Errorf("exit code %d: %s", code, out)
	}
}
