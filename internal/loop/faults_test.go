package loop_test

import (
	"fmt"
	"slices"
	"testing"
)

// phase is the part of a turn in which a fault occurs.
type phase string

// The phases. A fault before a reply affects the request with a prompt (text) or with
// a tool result (tool). A fault within a reply affects its text or a tool call.
const (
	inText phase = "text"
	inTool phase = "tool"
)

var phases = []phase{inText, inTool}

// lastFault is the number of the last row of the matrix.
const lastFault = 64

// maxLeaks limits the cases that leak resources, because each waits for a timeout.
const maxLeaks = 3

// fault is a failure of a provider or of the connection to it. Variants of a fault have
// the same number.
type fault struct {
	n     int
	name  string
	scene func(st *stage, p phase) scene
	// absent says why there is no such case: by "tool", "anthropic" or "anthropic/tool";
	// "" stands for all.
	absent map[string]string
}

// plays reports whether f is tested in a dialect and phase.
func (f fault) plays(d speech, p phase) bool { return f.why(d, p) == "" }

func (f fault) why(d speech, p phase) string {
	for _, cell := range []string{"", d.name(), string(p), d.name() + "/" + string(p)} {
		if why := f.absent[cell]; why != "" {
			return why
		}
	}
	return ""
}

// TestFaults plays every fault in every dialect and phase against a loopback server.
// It checks the messages to the user, the number of requests, that no API key is
// shown, that the session on disk is complete, that the next turn works, and that no
// resource is leaked. With -short, each fault is played in one dialect, which
// alternates.
func TestFaults(t *testing.T) {
	certs := newCertificates(t)
	leaks := 0
	covered, absent := map[string]int{}, map[string]string{}
	for _, f := range slices.Concat(networkFaults(), refusals(), cuts(), streams(), replies(), stops()) {
		for i, d := range dialects() {
			for _, p := range phases {
				cell := fmt.Sprintf("%02d/%s/%s", f.n, d.name(), p)
				if testing.Short() && i != f.n%len(dialects()) && f.plays(dialects()[f.n%len(dialects())], p) {
					absent[cell] = "slow: make test plays it"
					continue
				}
				if why := f.why(d, p); why != "" {
					absent[cell] = why
					continue
				}
				covered[cell]++
				t.Run(fmt.Sprintf("%02d %s/%s/%s", f.n, f.name, d.name(), p), func(t *testing.T) {
					before := leftovers()
					st := newStage(t, d, certs)
					st.play(f.scene(st, p))
					st.close()
					leaks += settled(t, before)
				})
				if leaks > maxLeaks {
					t.Fatal("too many of the cases leave something over: the others are not tried")
				}
			}
		}
	}
	cases, without := 0, 0
	var missing []string
	for n := 1; n <= lastFault; n++ {
		for _, d := range dialects() {
			for _, p := range phases {
				cell := fmt.Sprintf("%02d/%s/%s", n, d.name(), p)
				cases += covered[cell]
				switch {
				case covered[cell] > 0:
				case absent[cell] != "":
					without++
					t.Logf("n/a %s: %s", cell, absent[cell])
				default:
					missing = append(missing, cell)
				}
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("neither played nor said to be absent: %v", missing)
	}
	t.Attr("promise", fmt.Sprintf("after every provider fault the session is complete and the next turn works: faults tried: %d (%d in each of %d dialects and 2 phases, %d do not exist)",
		cases, lastFault, len(dialects()), without))
}
