//go:build unix

package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"agent/internal/sampling"
)

// A run stops at commands that repeat without progress, also if their durations, times or
// time limits differ, and at no others.
func TestRepeatingCommandsOfARun(t *testing.T) {
	t.Parallel()
	counted := func(line string) func(int) string { // n grows with each command
		return func(int) string {
			return `{"command":` + strconv.Quote("n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; "+line) + `}`
		}
	}
	for name, row := range sampling.Rows(map[string]struct {
		arguments func(step int) string
		stops     bool
	}{
		"a duration":        {counted(`echo "FAIL pkg 0.013${n}s"`), true},
		"milliseconds":      {counted(`echo "1 test failed (${n} ms)"`), true},
		"whole seconds":     {counted(`echo "1 test failed in ${n}s"`), true},
		"minutes":           {counted(`echo "real 0m0.00${n}s"`), true},
		"a clock time":      {counted(`echo "2026-01-02 12:00:0$n build failed"`), true},
		"a time limit":      {func(i int) string { return fmt.Sprintf(`{"command":"seq 1 5","timeout":%d}`, 100+i) }, true},
		"milliseconds sent": {func(i int) string { return fmt.Sprintf(`{"command":"seq 1 5","timeout":%d}`, 5000+1000*i) }, true},
		"a cycle of four":   {func(i int) string { return fmt.Sprintf(`{"command":"seq 1 %d"}`, i%4) }, true},
		"a cycle of six":    {func(i int) string { return fmt.Sprintf(`{"command":"seq 1 %d"}`, i%6) }, true},
		"more tests":        {counted(`echo "${n} passed in 0.01s"`), false},
		"a growing log":     {counted(`echo "12:00:0$n waiting" >> log; cat log`), false},
		"the time left":     {counted(`echo "${n} s left"`), false},
		"a position":        {counted(`echo "a.go:12:$n: undefined: x"`), false},
		"other commands":    {func(i int) string { return fmt.Sprintf(`{"command":"seq 1 %d"}`, i) }, false},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, nil)
			var steps []answer
			for i := range 20 {
				steps = append(steps, call("shell", row.arguments(i)))
			}
			s := serve(t, append(steps, say("done"))...)
			out, _ := h.agent(t, "run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "all", "go")
			if stops := strings.Contains(out, "stopped: the model"); stops != row.stops {
				t.Errorf("stops: %v, want %v\n%s", stops, row.stops, out)
			}
		})
	}
}
