package loop_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// Every request of a session begins with the previous request, so that providers can
// cache it: over turns with calls, errors and an interrupt, and after a resume.
func TestRequestsOnlyGrow(t *testing.T) {
	var replies []script.Reply
	var prompts []string
	for i := range 30 {
		id := func(n int) string { return fmt.Sprintf("c%d_%d", i, n) }
		replies = append(replies,
			script.Reply{}.Think("hm").Text("look").Call(id(1), "look", args(id(1))).Call(id(2), "look", `{"te`).Calls(),
			script.Call(id(3), "change", args(id(3))),
			script.Say("done"))
		prompts = append(prompts, fmt.Sprintf("prompt %d", i))
	}
	cut := script.Reply{Deltas: script.Say("half an answer").Deltas, Hold: map[int]<-chan struct{}{1: never()}}
	replies = append(replies, cut, script.Say("after the cut"))
	prompts = append(prompts, "stop me", "continue")
	p := script.New(replies...)
	events := play(t, options(p, echo("look", tools.Read), echo("change", tools.Write)), prompts, func(e event.Event) []event.Command {
		if s, ok := e.(event.Streamed); ok {
			if d, ok := s.Delta.(llm.TextDelta); ok && d.Text == "half " {
				return interrupt()
			}
		}
		return nil
	})
	var durable []event.Durable
	for _, e := range events {
		if d, ok := e.(event.Durable); ok {
			durable = append(durable, d)
		}
	}
	again := script.New(script.Say("resumed"))
	o := options(again)
	o.Log = resumedLog(t, durable...)
	play(t, o, []string{"and now"}, nil)

	requests := append(p.Requests(), again.Requests()...)
	if len(requests) != 30*3+2+1 {
		t.Fatalf("got %d requests", len(requests))
	}
	for i := 1; i < len(requests); i++ {
		before, now := requests[i-1], requests[i]
		if now.System != before.System || len(now.Messages) < len(before.Messages) {
			t.Fatalf("request %d does not begin with the previous one", i)
		}
		if d := cmp.Diff(now.Messages[:len(before.Messages)], before.Messages); d != "" {
			t.Fatalf("request %d does not begin with the previous one: %s", i, d)
		}
	}
}
