package tui

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

func TestStatusLine(t *testing.T) {
	full := screen.Status{Model: "acme/one", Dir: "~/src/shop", Branch: "main", Used: 18_200, Context: 200_000, Cost: 0.07,
		Mode: "ask", Jobs: 1, Right: "? help"}
	near := full
	near.Used = 171_000
	afar := full
	afar.Host = "gpu.lan:8000"
	limited := full
	limited.Left = "12k tokens left"
	plan := full
	plan.Mode = "plan"
	for _, c := range []struct {
		name   string
		s      screen.Status
		width  int
		want   string
		layout []string
	}{
		{"wide", full, 120, "acme/one · main · context 18.2k of 200k (9%) · $0.07 · 1 job|? help   ask", nil},
		{"at another host", afar, 120, "acme/one · gpu.lan:8000 · main · context 18.2k of 200k (9%) · $0.07 · 1 job|? help   ask", nil},
		{"at another host, narrow", afar, 80, "acme/one · gpu.lan:8000 · context 18.2k of 200k (9%) · 1 job|? help   ask", nil},
		{"at another host, narrower", afar, 44, "acme/one · gpu.lan:8000|? help   ask", nil},
		{"narrow", full, 80, "acme/one · main · context 18.2k of 200k (9%) · $0.07 · 1 job|? help   ask", nil},
		{"with a limit", limited, 120, "acme/one · main · context 18.2k of 200k (9%) · $0.07 · 1 job · 12k tokens left|? help   ask", nil},
		{"with a limit, narrow", limited, 50, "acme/one · 1 job · 12k tokens left|? help   ask", nil},
		{"narrower", full, 60, "acme/one · context 18.2k of 200k (9%) · 1 job|? help   ask", nil},
		{"minimum", full, 40, "acme/one · 1 job|? help   ask", nil},
		{"nearly full", near, 120, "acme/one · main · context 171k of 200k (85%, nearly full) · $0.07 · 1 job|? help   ask", nil},
		{"nearly full and narrow", near, 50, "acme/one · context 85% · 1 job|? help   ask", nil},
		{"in another order", full, 80, "1 job · $0.07 · acme/one|? help   ask", []string{"jobs", "cost", "model"}},
		{"with the directory", full, 80, "~/src/shop · acme/one|? help   ask", []string{"directory", "model", "mode"}},
		{"another mode", plan, 30, "acme/one|? help   plan", nil},
	} {
		line := c.s.Line(ink.Look{Dark: true}.Styles(), c.width, c.layout)
		if w := ansi.StringWidth(line); w > c.width {
			t.Errorf("%s: %d wide", c.name, w)
		}
		got := regexp.MustCompile(`^(\S.*\S)?\s\s+(\?.*)$`).ReplaceAllString(ansi.Strip(line), "$1|$2")
		if d := cmp.Diff(got, c.want); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestBranchFollows(t *testing.T) {
	now := "main"
	reads := 0
	d := newDriver(t, 120, 24, screen.Options{Version: "0.1", Files: screen.Files{Dir: "~/src/shop", Branch: "main", ReadBranch: func() string { reads++; return now }}})
	d.events(userSaid("switch to a branch"), call("r", "1", "shell"), start("1", "shell git switch -c fix", "execute"))
	now = "fix"
	d.events(result("1", "shell git switch -c fix", "execute", event.OK, "", "", 0))
	if !strings.Contains(d.screen(), "claude-sonnet · fix") {
		t.Errorf("the branch is not updated:\n%s", d.screen())
	}
	d.events(call("r2", "2", "read"), start("2", "read a", "read"), result("2", "read a", "read", event.OK, "", "", 0))
	if reads != 1 {
		t.Errorf("the branch was read %d times, want once", reads)
	}
}

func TestCost(t *testing.T) {
	cent := 0.01
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("/cost")
	d.press("enter")
	if !strings.Contains(d.screen(), "No tokens used yet.") {
		t.Errorf("the message that no tokens were used is missing:\n%s", d.screen())
	}
	d.events(userSaid("one"),
		&event.StepEnd{Reply: "r1", Model: "acme/one", Usage: llm.Usage{Input: 1000, Output: 10}, Cost: &cent}, turnEnd(event.Done, 0),
		userSaid("two"),
		&event.StepEnd{Reply: "r2", Model: "acme/one", Usage: llm.Usage{Input: 2000, Cached: 1500, Output: 20}, Cost: &cent},
		&event.StepEnd{Reply: "r3", Model: "free/two", Usage: llm.Usage{Input: 180_000, Output: 1, Searches: 2}}, turnEnd(event.Done, 0))
	d.typeText("/cost")
	d.press("enter")
	for _, want := range []string{
		"acme/one: 2k input (1.5k cached) and 20 output tokens, 1 step, $0.01",
		"acme/one: 3k input (1.5k cached) and 30 output tokens, 2 steps, $0.02",
		"free/two: 180k input and 1 output tokens, 1 step, 2 web searches,",
		"180k of 200k (90%, nearly full)",
	} {
		if !strings.Contains(d.screen(), want) {
			t.Errorf("%q is missing:\n%s", want, d.screen())
		}
	}
}

// An interrupted reply without usage leaves the context window use unchanged.
func TestContextUseAfterInterrupt(t *testing.T) {
	d := newDriver(t, 100, 24, screen.Options{})
	d.events(userSaid("one"), &event.StepEnd{Reply: "r1", Usage: llm.Usage{Input: 18_000, Output: 200}}, turnEnd(event.Done, 0),
		userSaid("two"), &event.StepEnd{Reply: "r2"}, turnEnd(event.UserInterrupt, 0))
	d.shows("18.2k of 200k")
}
