package delegate_test

import (
	"fmt"
	"strings"
	"testing"

	"agent/internal/loop/delegate"
)

// The list of agents in the description of the tool is at most about 800 tokens long,
// with the agents at its beginning, and says how to get the other names.
func TestListOfManyAgents(t *testing.T) {
	long := strings.Repeat("finds the mistakes in a change to the database schema, ", 6)
	for count, want := range map[int]struct{ lines, left int }{3: {3, 0}, 10: {10, 0}, 20: {20, 0}, 100: {49, 52}} {
		var agents []delegate.Agent
		for i := range count {
			agents = append(agents, delegate.Agent{Name: fmt.Sprintf("agent%02d", i), Description: long[:300]})
		}
		pool := delegate.NewPool(delegate.Options{Agents: func() []delegate.Agent { return agents }})
		_, list, _ := strings.Cut(pool.Tool().Spec().Description, "The agents:\n")
		lines := strings.Split(list, "\n")
		if len(list) > 3300 || len(lines) != want.lines || !strings.HasPrefix(lines[0], "- agent00: finds the mistakes") {
			t.Errorf("%d agents: %d bytes, %d lines:\n%s", count, len(list), len(lines), list)
		}
		if more := fmt.Sprintf("- and %d more: the error for an unknown name lists all agents", want.left); (want.left > 0) != (lines[len(lines)-1] == more) {
			t.Errorf("%d agents: the last line is %q", count, lines[len(lines)-1])
		}
		if count == 3 && !strings.Contains(list, long[:300]) {
			t.Errorf("the descriptions of few agents are shortened:\n%s", list)
		}
	}
}
