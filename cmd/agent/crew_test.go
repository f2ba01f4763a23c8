package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
)

// coordinator is the name under which a crew has the answers of the agent that
// delegates.
const coordinator = "coordinator"

// crew plays answers for each delegate, which it knows by a part of its task.
type crew struct {
	*server
	tasks   []string
	mu      sync.Mutex
	answers map[string][]answer // by task
	// meet is how many delegates must have sent their first request before one of them
	// gets an answer.
	meet    int
	arrived map[string]bool
	all     chan struct{} // closed when meet have arrived
}

// serveCrew returns a server for a coordinator and its delegates.
func serveCrew(t testing.TB, meet int, answers map[string][]answer) *crew {
	t.Helper()
	c := &crew{server: serve(t), tasks: slices.Collect(maps.Keys(answers)), answers: answers, meet: meet, arrived: map[string]bool{}, all: make(chan struct{})}
	c.dropped = make(chan struct{}, 100)
	c.choose = c.next
	return c
}

// of returns the part of the task by which the crew knows the sender of r.
func (c *crew) of(r wireRequest) string {
	if slices.Contains(r.tools(), "delegate") {
		return coordinator
	}
	for _, task := range c.tasks {
		if task != coordinator && strings.Contains(r.body, task) {
			return task
		}
	}
	return ""
}

// tools returns the names of the tools that r offers.
func (r wireRequest) tools() (names []string) {
	for _, t := range r.Tools {
		names = append(names, t.Function.Name)
	}
	return names
}

// next returns the next answer for the sender of r.
func (c *crew) next(ctx context.Context, r wireRequest) answer {
	name := c.of(r)
	c.mu.Lock()
	a := say("The script is over.")
	if left := c.answers[name]; len(left) > 0 {
		a, c.answers[name] = left[0], left[1:]
	}
	if name != coordinator && !c.arrived[name] {
		if c.arrived[name] = true; len(c.arrived) == c.meet {
			close(c.all)
		}
	}
	c.mu.Unlock()
	if name != coordinator && c.meet > 0 {
		select {
		case <-c.all:
		case <-ctx.Done():
		}
	}
	return a
}

// requestsOf returns the requests of the coordinator or of a delegate, in order.
func (c *crew) requestsOf(name string) (all []wireRequest) {
	for _, r := range c.seen() {
		if c.of(r) == name {
			all = append(all, r)
		}
	}
	return all
}

// results returns the results in r by the ID of their call. A call with two results
// fails the test.
func (r wireRequest) results(t *testing.T) map[string]string {
	t.Helper()
	results := map[string]string{}
	for _, m := range r.Messages {
		if m.Role != "tool" {
			continue
		}
		if _, again := results[m.ToolCallID]; again {
			t.Errorf("the call %s has two results", m.ToolCallID)
		}
		var text string
		if err := json.Unmarshal(m.Content, &text); err != nil {
			t.Error(err)
		}
		results[m.ToolCallID] = text
	}
	return results
}

// checkSessions checks that the logs of h's sessions have no damage and miss no event,
// and that each delegate in them has one start and one end. It returns the sessions of
// the delegates.
func checkSessions(t *testing.T, h home) (delegates []history.Info) {
	t.Helper()
	all, err := h.store().ListWithDelegates("")
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		v, err := h.store().View(i.ID)
		if err != nil {
			t.Fatal(err)
		}
		state, err := session.ReplayRecords(v.From(0))
		_ = v.Close()
		if err != nil || len(state.Closing) > 0 && i.Agent == "" {
			t.Errorf("session %s of %q: %v, it misses %v", i.ID, i.Agent, err, state.Closing)
		}
		if i.Agent != "" {
			delegates = append(delegates, i)
		}
		counts := map[int][2]int{}
		for _, e := range state.Events {
			switch e := e.(type) {
			case *event.DelegateStart:
				counts[e.ID] = [2]int{counts[e.ID][0] + 1, counts[e.ID][1]}
			case *event.DelegateEnd:
				counts[e.ID] = [2]int{counts[e.ID][0], counts[e.ID][1] + 1}
			}
		}
		for id, n := range counts {
			if n != [2]int{1, 1} {
				t.Errorf("session %s: delegate %d has %d starts and %d ends", i.ID, id, n[0], n[1])
			}
		}
		if out, code := h.agent(t, "sessions", "show", i.ID); code != 0 {
			t.Errorf("sessions show %s: exit code %d: %s", i.ID, code, out)
		}
	}
	return delegates
}

// spanPaths returns the names of the spans of a trace file, each after those of its
// parents, in alphabetical order. All belong to one trace.
func spanPaths(t *testing.T, file string) (paths []string) {
	t.Helper()
	type span struct{ TraceID, SpanID, ParentSpanID, Name string }
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]span{}
	for line := range bytes.Lines(text) {
		var r struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []span } }
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		for _, r := range r.ResourceSpans {
			for _, s := range r.ScopeSpans {
				for _, s := range s.Spans {
					if _, again := byID[s.SpanID]; again {
						t.Errorf("the span %s is written twice", s.Name)
					}
					byID[s.SpanID] = s
				}
			}
		}
	}
	traces := map[string]bool{}
	for _, s := range byID {
		traces[s.TraceID] = true
		path := s.Name
		for s.ParentSpanID != "" {
			parent, ok := byID[s.ParentSpanID]
			if !ok {
				t.Fatalf("the parent of %s is missing", path)
			}
			path, s = parent.Name+" > "+path, parent
		}
		paths = append(paths, path)
	}
	if len(traces) != 1 {
		t.Errorf("the file has %d traces", len(traces))
	}
	slices.Sort(paths)
	return paths
}
