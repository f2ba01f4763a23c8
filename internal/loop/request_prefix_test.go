package loop_test

import (
	"context"
	"fmt"
	"sync/atomic"
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

// lateServer is a server whose tool is there only after the model has searched for tools.
type lateServer struct{ ready atomic.Bool }

func (l *lateServer) Offer(context.Context, int) []tools.Tool { return l.Fixed() }

func (l *lateServer) Callable() []tools.Tool {
	if !l.ready.Load() {
		return nil
	}
	return []tools.Tool{echo("mcp__late__look", tools.Read)}
}

func (l *lateServer) Fixed() []tools.Tool {
	return []tools.Tool{tools.New("tool_search", "finds tools", func(context.Context, textArgs) (tools.Call, error) {
		return tools.Call{Title: "search", Effect: tools.Read, Run: func(context.Context, tools.Approved) (tools.Result, error) {
			l.ready.Store(true)
			return tools.Result{Text: "mcp__late__look", Source: "servers"}, nil
		}}, nil
	})}
}

// A server that is ready late, and a change of the mode, leave the tools and the beginning of
// the requests as they are. The model can call the tools of the server.
func TestALateServerKeepsThePrefix(t *testing.T) {
	p := script.New(script.Call("c1", "tool_search", args("look")), script.Say("one"), script.Call("c2", "mcp__late__look", args("b")), script.Say("two"))
	o := options(p, echo("read", tools.Read))
	o.Connected = &lateServer{}
	events := command(t, o, []event.Command{event.Prompt{Text: "a"}, event.SetMode{Mode: event.ModePlan}, event.Prompt{Text: "b"}}, func(e event.Event) bool {
		switch e.(type) {
		case *event.TurnEnd, *event.ModeSet:
			return true
		}
		return false
	})
	for _, e := range events {
		if e, ok := e.(*event.ToolEnd); ok && e.Outcome != event.OK {
			t.Errorf("%s: got %s", e.Result.ID, e.Result.Text)
		}
	}
	requests := p.Requests()
	if len(requests) != 4 {
		t.Fatalf("got %d requests, want 4", len(requests))
	}
	for i, now := range requests[1:] {
		before := requests[i]
		if d := cmp.Diff(before.Tools, now.Tools); d != "" || now.System != before.System {
			t.Errorf("request %d has other tools or another system prompt: %s", i+1, d)
		}
		if d := cmp.Diff(before.Messages, now.Messages[:len(before.Messages)]); d != "" {
			t.Errorf("request %d does not begin with the previous one: %s", i+1, d)
		}
	}
}
