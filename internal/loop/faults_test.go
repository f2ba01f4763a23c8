package loop_test

import (
	"fmt"
	"slices"
	"testing"

	"agent/internal/sampling"
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

// why returns why f is not tested in a dialect and phase; empty if it is.
func (f fault) why(d speech, p phase) string {
	for _, cell := range []string{"", d.name(), string(p), d.name() + "/" + string(p)} {
		if why := f.absent[cell]; why != "" {
			return why
		}
	}
	return ""
}

// choose returns one of the cells in which f is tested: that of number i, modulo their number.
func (f fault) choose(i int) string {
	var cells []string
	for _, d := range dialects() {
		for _, p := range phases {
			if f.why(d, p) == "" {
				cells = append(cells, f.cell(d, p))
			}
		}
	}
	return cells[i%len(cells)]
}

func (f fault) cell(d speech, p phase) string { return fmt.Sprintf("%02d/%s/%s", f.n, d.name(), p) }

// TestFaults plays every fault in every dialect and phase against a loopback server.
// It checks the messages to the user, the number of requests, that no API key is
// shown, that the session on disk is complete, that the next turn works, and that no
// resource is leaked. Each fault is played in one dialect and phase, which alternate, or in
// all of them for the promises.
func TestFaults(t *testing.T) {
	certs := newCertificates(t)
	leaks := 0
	covered, absent := map[string]int{}, map[string]string{}
	for i, f := range slices.Concat(networkFaults(), refusals(), cuts(), streams(), replies(), stops()) {
		chosen := f.choose(i)
		for _, d := range dialects() {
			for _, p := range phases {
				cell := f.cell(d, p)
				if why := f.why(d, p); why != "" {
					absent[cell] = why
					continue
				}
				if !sampling.Whole() && cell != chosen {
					absent[cell] = "slow: make promises plays it"
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
