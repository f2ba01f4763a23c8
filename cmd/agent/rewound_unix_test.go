//go:build unix

package main

import (
	"strings"
	"testing"
)

// TestRewoundTurns counts the cost of rewound turns, keeps their prompts in the
// history, and marks them in searches.
func TestRewoundTurns(t *testing.T) {
	t.Parallel()
	s := serve(t, say("One fish."), say("Two fish."))
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 100, 30)
	a.wait("? help")
	a.send("count the herrings" + enter)
	a.wait("One fish.", "? help")
	a.send("count the mackerels" + enter)
	a.wait("Two fish.", "? help")
	a.send("/rewind 1" + enter)
	a.gone("Two fish.")
	a.wait("› count the mackerels")
	a.send(ctrlU + "/cost" + enter)
	a.wait("2 steps", "Rewound turns:", "1 step")
	a.send(ctrlD)
	a.exit()

	out, code := h.agent(t, "sessions", "search", "count")
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		if marked, back := strings.Contains(line, "you, rewound"), strings.Contains(line, "mackerels"); marked != back {
			t.Errorf("%q: marked as rewound is %v, want %v", line, marked, back)
		}
	}
	if code != 0 || strings.Count(out, "count the") != 2 {
		t.Errorf("got %d, %s", code, out)
	}
	b := h.open(t, 100, 30, "--continue")
	b.wait("One fish.", "? help")
	b.send(ctrlR + "macke")
	b.wait("› count the mackerels")
	b.send(escape)
	b.gone("mackerels")
	b.send("/resume" + enter)
	b.wait("all directories")
	b.send("mackerels")
	b.wait("no matching session")
	b.send(ctrlU + "herrings")
	b.wait("› just now    count the herrings")
}
