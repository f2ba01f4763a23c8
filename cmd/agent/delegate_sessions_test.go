package main

import (
	"iter"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// encoded yields the records of events.
func encoded(events ...event.Durable) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, e := range events {
			if b, err := event.Encode(e); !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// --continue and a new session ignore the newer session of a delegate, its model too.
// It can be resumed by its ID.
func TestContinueIgnoresSessionsOfDelegates(t *testing.T) {
	t.Parallel()
	s := serve(t, say("One it is."), say("Two it is."), say("Three it is."), say("Four it is."))
	h := newHome(t, nil, at(s)...)
	if out, code := h.agent(t, "run", "--model", "openai/big", "say one"); code != 0 {
		t.Fatal(out)
	}
	parent := h.ids(t)[0]
	v, err := h.store().View(parent)
	if err != nil {
		t.Fatal(err)
	}
	dir := v.Header().Dir
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	of := event.Meta{Agent: "1"}
	log, err := h.store().CreateFrom(history.Header{ID: "delegate1", Dir: dir, Parent: parent, Agent: "explore"},
		encoded(&event.ModelSet{Meta: of, Model: "openai/tiny"}, &event.UserSaid{Meta: of, Text: "find it"}))
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"run", "new session"}, {"run", "--continue", "continue it"}, {"run", "--resume", "delegate1", "more"}} {
		if out, code := h.agent(t, args...); code != 0 {
			t.Fatal(out)
		}
	}
	requests := s.seen()
	if len(requests) != 4 {
		t.Fatalf("got %d requests, want 4", len(requests))
	}
	for i, want := range []string{`"model":"big"`, `new session`, `find it`} {
		if got := requests[i+1].body; !strings.Contains(got, want) {
			t.Errorf("request %d does not have %s: %s", i+1, want, got)
		}
	}
	out, code := h.agent(t, "sessions", "tree")
	if code != 0 || !strings.Contains(out, "└ delegate1") || !strings.Contains(out, "explore 1  find it  not finished") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if out, _ := h.agent(t, "sessions"); strings.Contains(out, "delegate1") {
		t.Errorf("got %s", out)
	}
}
