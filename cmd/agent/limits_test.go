package main

import (
	"strings"
	"testing"

	"agent/cmd/agent/exit"
)

func TestRunAtTheStepLimitAnswersAndExitsWith4(t *testing.T) {
	t.Parallel()
	read := func(n string) answer { return call("read", `{"path":"a.txt","offset":`+n+`}`) }
	s := serve(t, read("1"), read("2"), say("Two lines are read, the third is not."))
	h := newHome(t, map[string]string{"a.txt": "1\n2\n3\n"}, at(s)...)
	out, code := h.agent(t, "run", "--max-steps", "2", "--output", "json", "read a.txt line by line")
	if code != exit.Limit || !strings.Contains(out, `"answer":"Two lines are read, the third is not.","reason":"max_steps","error":"stopped after 2 steps`) {
		t.Errorf("exit code %d: %s", code, out)
	}
	requests := s.seen()
	if len(requests) != 3 || !strings.Contains(requests[2].body, `"tool_choice":"none"`) || strings.Contains(requests[1].body, `"tool_choice"`) {
		t.Errorf("%d requests, the last one: %s", len(requests), lastBody(t, s))
	}
}

func TestRunEndsAfterAnUncheckedEdit(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"all", "auto"} {
		s := serve(t, call("write", `{"path":"b.txt","content":"b\n"}`), say("Done."), say("Never."))
		h := newHome(t, map[string]string{"Makefile": "test:\n\t@echo fine\n"}, at(s)...)
		out, code := h.agent(t, "run", "--mode", mode, "write b.txt")
		if code != exit.Done || len(s.seen()) != 2 || !strings.Contains(out, "not checked: 1 file edited, no check ran") {
			t.Errorf("mode %s: exit code %d after %d requests: %s", mode, code, len(s.seen()), out)
		}
	}
}
