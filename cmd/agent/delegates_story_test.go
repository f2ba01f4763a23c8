//go:build unix

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// After kill -9 of the interactive program while three delegates work, the continued
// session has one result of each call and one end of each delegate.
func TestContinueAfterAScreenWithDelegatesIsKilled(t *testing.T) {
	t.Parallel()
	c := serveCrew(t, 3, killed())
	h := newHome(t, map[string]string{"main.go": goFile}, at(c.server)...)
	a := h.open(t, 120, 40)
	a.wait("? help")
	a.send("look at all of it" + enter)
	a.wait("explore 1", "general 2", "review 3", "waiting for 3 delegates")
	c.held(t, 4)
	a.signal(syscall.SIGKILL)
	a.exit()
	c.hungUp(t, 3)
	b := h.open(t, 120, 40, "--continue")
	b.wait("look at all of it", "? help")
	b.send("and?" + enter)
	b.wait("All three were interrupted.", "? help")
	b.send(ctrlD)
	if code := b.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	checkAfterKill(t, c, h)
}

// Three delegates work at once: one is opened, one asks and is steered, one is stopped,
// and Ctrl+C cancels those that still work. Each call has one result.
func TestDelegatesStory(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	c := serveCrew(t, 3, map[string][]answer{
		coordinator: {
			call("delegate", `{"agent":"explore","prompt":"TASK-LOADER"}`, "delegate", `{"agent":"general","prompt":"TASK-NOTES"}`, "delegate", `{"agent":"explore","prompt":"TASK-COUNT"}`),
			say("Nothing was finished."),
		},
		"TASK-LOADER": {call("read", `{"path":"main.go"}`), begin("The loader begins in main.go and")},
		"TASK-NOTES":  {call("write", `{"path":"notes.md","content":"notes\n"}`), {text: "The notes are", then: release, more: " written."}, begin("Now also in German")},
		"TASK-COUNT":  {begin("I count the tests")},
	})
	h := newHome(t, map[string]string{"main.go": goFile}, at(c.server)...)
	trace := filepath.Join(t.TempDir(), "trace.jsonl")
	a := h.open(t, 120, 40, "--model", "openai/m", "--trace", trace)
	a.wait("? help")
	a.send("look at all of it" + enter)
	a.asked("general 2: Create notes.md?")
	a.send("1")
	a.wait("explore 1", "general 2", "explore 3", "waiting for 3 delegates")
	waitFor(t, "the notes to be written", func() bool { return len(c.requestsOf("TASK-NOTES")) == 2 })

	a.send("\x1ba") // alt+a
	a.wait("Delegates and agents")
	a.send(enter)
	a.wait("read  main.go", "The loader begins in main.go and")
	a.send(escape)
	a.gone("The loader begins")

	a.send("/agents steer 2 also in German, please" + enter)
	waitFor(t, "the delegate to keep the message for its next step", func() bool {
		drafts, _ := filepath.Glob(filepath.Join(h.dir, ".local", "state", "agent", "sessions", "*.draft"))
		return slices.ContainsFunc(drafts, func(path string) bool {
			draft, _ := os.ReadFile(path)
			return strings.Contains(string(draft), "also in German, please")
		})
	})
	close(release)
	waitFor(t, "the next request of the steered delegate", func() bool { return len(c.requestsOf("TASK-NOTES")) == 3 })
	if last := c.requestsOf("TASK-NOTES")[2].Messages; !strings.Contains(string(last[len(last)-1].Content), "also in German, please") {
		t.Errorf("the last message is %s", last[len(last)-1].Content)
	}

	a.send("/agents stop 3" + enter)
	a.wait("waiting for 2 delegates")
	c.hungUp(t, 1)

	a.send(ctrlC)
	c.hungUp(t, 2)
	a.wait("  interrupted · ", "? help")
	a.send("and now?" + enter)
	a.wait("Nothing was finished.", "? help")
	a.send(ctrlD)
	if code := a.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	checkStory(t, c, h, trace)
}

// checkStory checks the last request, the sessions and the trace of TestDelegatesStory.
func checkStory(t *testing.T, c *crew, h home, trace string) {
	t.Helper()
	asked := c.requestsOf(coordinator)
	results := asked[len(asked)-1].results(t)
	for id, want := range map[string]string{
		"call_0": "[explore 1: stopped by the user, 2 steps", "call_1": "[general 2: stopped by the user, 3 steps", "call_2": "[explore 3: stopped by the user, 1 step",
	} {
		if !strings.Contains(results[id], want) {
			t.Errorf("call %s has the result %q, want %q", id, results[id], want)
		}
	}
	if len(asked) != 2 || len(results) != 3 {
		t.Errorf("%d requests, the results %q", len(asked), results)
	}
	if n := len(checkSessions(t, h)); n != 3 {
		t.Errorf("%d sessions of delegates", n)
	}
	paths := strings.Join(spanPaths(t, trace), "\n") + "\n"
	of := "session > invoke_agent agent > step 1 > execute_tool delegate > invoke_agent "
	for path, n := range map[string]int{
		of + "explore":                                        2,
		of + "general > turn 1":                               1,
		of + "general > turn 1 > step 1":                      1,
		of + "general > turn 1 > step 1 > chat m":             1,
		of + "general > turn 1 > step 1 > approval write":     1,
		of + "general > turn 1 > step 1 > execute_tool write": 1,
		of + "general > turn 1 > step 3 > chat m":             1,
		of + "explore > turn 1 > step 1 > execute_tool read":  1,
	} {
		if got := strings.Count(paths, path+"\n"); got != n {
			t.Errorf("the trace has %s %d times, not %d:\n%s", path, got, n, paths)
		}
	}
}
