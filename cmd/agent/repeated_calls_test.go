package main

import (
	"context"
	"strings"
	"testing"

	"agent/internal/sampling"
)

// A model that makes the same call again and again is stopped, also if the result of the
// call names a file, an ID or a time that is another one each time.
func TestRepeatedCallsStopATurnWhateverTheirResultsName(t *testing.T) {
	t.Parallel()
	for name, c := range sampling.Rows(map[string]struct {
		before []string // calls that are made once, before the repeated one
		call   []string
	}{
		"a file with the output of a command": {nil, []string{"shell", `{"command":"seq 1 5000"}`}},
		"a file with the output of a tool":    {nil, []string{"count", `{}`}},
		"a file with the result of a server":  {nil, []string{"mcp__shop__stock", `{"article":"everything"}`}},
		"a command that becomes a job":        {nil, []string{"shell", `{"command":"sleep 600","timeout_seconds":1}`}},
		"a job that starts":                   {nil, []string{"jobs", `{"action":"start","command":"seq 1 5000; sleep 600"}`}},
		"the list of jobs":                    {[]string{"jobs", `{"action":"start","command":"sleep 600"}`}, []string{"jobs", `{"action":"list"}`}},
		"a job that runs":                     {[]string{"jobs", `{"action":"start","command":"sleep 600"}`}, []string{"jobs", `{"action":"read","id":1}`}},
		"a delegate":                          {nil, []string{"delegate", `{"agent":"explore","prompt":"TASK"}`}},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			before := c.before
			s.choose = func(_ context.Context, r wireRequest) answer {
				switch {
				case strings.Contains(r.body, `"content":"TASK"`):
					return say("found")
				case strings.Contains(r.body, "Do not call tools in this reply"):
					return say("stopped")
				case before != nil:
					once := before
					before = nil
					return call(once...)
				}
				return call(c.call...)
			}
			h := withServers(t, s)
			h.configure(t, `{"mcp": {"servers": {"shop": {"command": "agent-shop"}}}, "tools": {"count": {"description": "counts", "command": "seq 1 5000"}},
				"permissions": {"allow": ["tool: mcp__shop__*", "tool: count", "command: seq", "command: sleep"]}}`)
			out, err := h.command("run", "--model", "openai/m", "--max-steps", "12", "go").CombinedOutput()
			if err == nil || !strings.Contains(string(out), "the model made the same call 3 times, with the same result") {
				t.Errorf("%v: %d requests: %s", err, len(s.seen()), out)
			}
		})
	}
}
