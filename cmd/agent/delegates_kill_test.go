package main

import (
	"strings"
	"testing"
	"time"
)

// killed are the answers of a coordinator whose delegates never end their work.
func killed() map[string][]answer {
	return map[string][]answer{
		coordinator: {
			call("delegate", `{"agent":"explore","prompt":"TASK-LOADER"}`, "delegate", `{"agent":"general","prompt":"TASK-TESTS"}`, "delegate", `{"agent":"review","prompt":"TASK-DIFF"}`),
			say("All three were interrupted."),
		},
		"TASK-LOADER": {begin("I look at the loader")},
		"TASK-TESTS":  {call("read", `{"path":"main.go"}`), begin("I have read main.go")},
		"TASK-DIFF":   {begin("I look at the diff")},
	}
}

// held waits until n answers that stay open have reached their clients.
func (c *crew) held(t *testing.T, n int) {
	t.Helper()
	waitFor(t, "the delegates to get an answer that stays open", func() bool {
		n := n
		for _, r := range c.seen() {
			if c.of(r) != coordinator {
				n--
			}
		}
		return n <= 0
	})
}

// hungUp waits until the clients of n answers that stayed open are gone.
func (c *crew) hungUp(t *testing.T, n int) {
	t.Helper()
	limit := time.After(hang)
	for range n {
		select {
		case <-c.dropped:
		case <-limit:
			t.Fatal("the connections of the delegates are still open")
		}
	}
}

// checkAfterKill checks that the last request of the coordinator has one result of each
// of its three calls, which names the session of the delegate, and that the sessions
// are valid.
func checkAfterKill(t *testing.T, c *crew, h home) {
	t.Helper()
	asked := c.requestsOf(coordinator)
	results := asked[len(asked)-1].results(t)
	if len(asked) != 2 || len(results) != 3 {
		t.Errorf("%d requests, the results %q", len(asked), results)
	}
	delegates := checkSessions(t, h)
	if len(delegates) != 3 {
		t.Errorf("%d sessions of delegates", len(delegates))
	}
	tree, _ := h.agent(t, "sessions", "tree")
	for _, i := range delegates {
		named := 0
		for _, text := range results {
			if strings.Contains(text, "the program exited while "+i.Agent) {
				named += strings.Count(text, "agent sessions show "+i.ID)
			}
		}
		if named != 1 || !strings.Contains(tree, "└ "+i.ID) && !strings.Contains(tree, "├ "+i.ID) || strings.Count(tree, "not finished") != 3 {
			t.Errorf("session %s of %s is named %d times in %q; the tree is\n%s", i.ID, i.Agent, named, results, tree)
		}
	}
	if out, code := h.agent(t, "sessions", "delete", "--yes", h.ids(t)[0]); code != 0 {
		t.Error(out)
	}
	if all, err := h.store().ListWithDelegates(""); err != nil || len(all) != 0 {
		t.Errorf("%d sessions are left after the deletion, %v", len(all), err)
	}
}

// After kill -9 of agent run while three delegates work, the continued session has one
// result of each call and one end of each delegate.
func TestContinueAfterARunWithDelegatesIsKilled(t *testing.T) {
	t.Parallel()
	c := serveCrew(t, 3, killed())
	h := newHome(t, map[string]string{"main.go": goFile}, at(c.server)...)
	cmd := h.command("run", "--model", "openai/m", "look at all of it")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { _, _ = cmd.Process.Kill(), cmd.Wait() }
	t.Cleanup(kill)
	c.held(t, 4)
	kill()
	c.hungUp(t, 3)
	if out, code := h.agent(t, "run", "--continue", "and?"); code != 0 || !strings.Contains(out, "All three were interrupted.") {
		t.Fatalf("exit code %d: %s", code, out)
	}
	checkAfterKill(t, c, h)
}
