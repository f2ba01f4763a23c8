package main

import (
	"strings"
	"testing"
)

func TestRunAtTheStepLimitAnswersAndExitsWith4(t *testing.T) {
	t.Parallel()
	read := func(n string) answer { return call("read", `{"path":"a.txt","offset":`+n+`}`) }
	s := serve(t, read("1"), read("2"), say("Two lines are read, the third is not."))
	h := newHome(t, map[string]string{"a.txt": "1\n2\n3\n"}, at(s)...)
	out, code := h.agent(t, "run", "--max-steps", "2", "--output", "json", "read a.txt line by line")
	if code != exitMaxSteps || !strings.Contains(out, `"answer":"Two lines are read, the third is not.","reason":"max_steps","error":"stopped after 2 steps`) {
		t.Errorf("exit code %d: %s", code, out)
	}
	requests := s.seen()
	if len(requests) != 3 || !strings.Contains(requests[2].body, `"tool_choice":"none"`) || strings.Contains(requests[1].body, `"tool_choice"`) {
		t.Errorf("%d requests, the last one: %s", len(requests), lastBody(t, s))
	}
}

func TestRunRemindsToTestOnce(t *testing.T) {
	t.Parallel()
	for mode, requests := range map[string]int{"all": 4, "edits": 2} {
		s := serve(t, call("write", `{"path":"b.txt","content":"b\n"}`), say("Done."), call("shell", `{"command":"make test"}`), say("Tested."))
		h := newHome(t, map[string]string{"Makefile": "test:\n\t@echo fine\n"}, at(s)...)
		if out, code := h.agent(t, "run", "--mode", mode, "write b.txt"); code != exitDone || len(s.seen()) != requests {
			t.Errorf("mode %s: exit code %d after %d requests: %s", mode, code, len(s.seen()), out)
		}
		if body := lastBody(t, s); (strings.Count(body, "have run nothing since. Check the changes: run `make test`.") == 1) != (mode == "all") {
			t.Errorf("mode %s: %s", mode, body)
		}
	}
}
