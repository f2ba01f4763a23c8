package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/cmd/agent/exit"
)

// A limit of a run also stops its delegates: the delegate and then the run give one
// last answer without tools. The trace shows the delegate below its call.
func TestRunLimitsItsDelegates(t *testing.T) {
	t.Parallel()
	read := func(n string) answer { return call("read", `{"path":"a.txt","offset":`+n+`}`) }
	s := serve(t, call("delegate", `{"agent":"explore","prompt":"read a.txt"}`), read("1"), read("2"), say("Two lines are read."), say("The delegate was stopped."), say("never"))
	h := newHome(t, map[string]string{"a.txt": "1\n2\n3\n"}, at(s)...)
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	out, code := h.agent(t, "run", "--max-steps", "3", "--trace", file, "--output", "json", "read a.txt")
	if code != exit.Limit || !strings.Contains(out, `"answer":"The delegate was stopped.","reason":"max_steps","error":"stopped after 4 steps: the limit of one turn is 3 steps"`) {
		t.Errorf("exit code %d: %s", code, out)
	}
	requests := s.seen()
	if len(requests) != 5 || !strings.Contains(requests[3].body, `"tool_choice":"none"`) || !strings.Contains(requests[4].body, `"tool_choice":"none"`) {
		t.Fatalf("%d requests: %s", len(requests), lastBody(t, s))
	}
	if want := "Two lines are read.\\n\\n[explore 1: ended early: stopped: the turn that delegated has used 3 steps, and its limit is 3 steps, 3 steps, "; !strings.Contains(requests[4].body, want) {
		t.Errorf("the model did not get %s: %s", want, requests[4].body)
	}
	trace, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for part, n := range map[string]int{`"name":"execute_tool delegate"`: 1, `"name":"invoke_agent explore"`: 1, `"name":"execute_tool read"`: 2, `"name":"chat `: 5} {
		if got := strings.Count(string(trace), part); got != n {
			t.Errorf("the trace has %s %d times, not %d:\n%s", part, got, n, trace)
		}
	}
}
