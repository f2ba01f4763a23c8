package loop_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// stubborn is a tool that ignores its context and ends only by force.
func stubborn() tools.Tool {
	return tools.New("cling", "a tool for tests", func(context.Context, textArgs) (tools.Call, error) {
		return tools.Call{Title: "cling", Effect: tools.Execute, Run: func(ctx context.Context, ok tools.Approved) (tools.Result, error) {
			ok.Progress("running")
			<-ctx.Done()
			ok.Progress("stopping")
			<-ok.Force
			return tools.Result{}, ctx.Err()
		}}, nil
	})
}

// A second interrupt kills the running call at once, in every turn.
func TestSecondInterruptForces(t *testing.T) {
	p := script.New(script.Call("c1", "cling", args("a")), script.Call("c2", "cling", args("b")))
	var seen []string
	play(t, options(p, stubborn()), []string{"one", "two"}, func(e event.Event) []event.Command {
		switch e := e.(type) {
		case event.Progress:
			seen = append(seen, e.Text)
			return interrupt()
		case *event.TurnEnd:
			seen = append(seen, string(e.Reason))
		}
		return nil
	})
	want := []string{"running", "stopping", "interrupted", "running", "stopping", "interrupted"}
	if !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}
}

// Quitting while an interrupted turn still runs is the second interrupt.
func TestQuitForcesTheEnd(t *testing.T) {
	p := script.New(script.Call("c1", "cling", args("a")))
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	commands, events := make(chan event.Command, 4), make(chan event.Event)
	go loop.NewAgent(fill(options(p, stubborn()))).Run(ctx, commands, events)
	commands <- event.Prompt{Text: "go"}
	var last event.Event
	for last = range events {
		if e, ok := last.(event.Progress); ok && e.Text == "running" {
			commands <- event.Interrupt{}
		} else if ok {
			close(commands)
		}
	}
	if end, ok := last.(*event.TurnEnd); !ok || end.Reason != event.UserInterrupt {
		t.Errorf("got %v, want the end of the turn", last)
	}
}

// when is the time of an interrupt relative to an approval and the start of the call.
type when int

const (
	beforeAnswer when = iota // before the approval
	withAnswer               // at the same time as the approval
	decided                  // before the decision is sent
	starting                 // before the start is sent
	started                  // at any time after the start
	moments
)

// If an interrupt falls between an approval and the start of the call, the result says
// correctly whether the call ran.
func TestInterruptBetweenApprovalAndStart(t *testing.T) {
	const tries = 300
	for seed := range uint64(tries) {
		r := rand.New(rand.NewPCG(seed, 29))
		moment := when(r.IntN(int(moments)))
		ran, end := interruptAround(t, r, moment)
		if end == nil {
			t.Fatalf("seed %d, moment %d: the call has no result", seed, moment)
		}
		notRun := strings.HasPrefix(end.Result.Text, "not run: the user interrupted the turn")
		switch {
		case end.Outcome != event.Interrupted || ran == notRun:
			t.Errorf("seed %d, moment %d: ran is %v, the result %s: %q", seed, moment, ran, end.Outcome, end.Result.Text)
		case ran && moment != withAnswer && moment != started:
			t.Errorf("seed %d, moment %d: the call ran after the interrupt was heard", seed, moment)
		}
	}
	t.Attr("promise", fmt.Sprintf("an interrupt between the approval and the start of a call is reported correctly: moments tried: %d", tries))
}

// interruptAround plays a turn with one call that is approved and interrupted. It
// reports whether the tool ran, and returns the end of the call.
func interruptAround(t *testing.T, r *rand.Rand, moment when) (ran bool, end *event.ToolEnd) {
	t.Helper()
	entered := make(chan struct{}, 1)
	run := tool("run", tools.Execute, func(ctx context.Context, _ string) (string, error) {
		entered <- struct{}{}
		<-ctx.Done()
		return "", ctx.Err()
	})
	o := options(script.New(script.Call("c1", "run", args("make"))), run)
	o.Permissions.Mode = event.ModeAsk
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	commands, events := make(chan event.Command), make(chan event.Event)
	go loop.NewAgent(fill(o)).Run(ctx, commands, events)
	send := func(cs ...event.Command) {
		for _, c := range cs {
			select {
			case commands <- c:
			case <-ctx.Done():
			}
		}
	}
	send(event.Prompt{Text: "go"})
	yes := event.Answer{ID: "c1", Decision: event.Allow}
	heard := func() { send(event.Interrupt{}, event.Answer{}) } // when the second command is received, the first has been executed
	pause := func() {
		for range r.IntN(40) {
			runtime.Gosched()
		}
	}
	for e := range events {
		pause()
		switch e := e.(type) {
		case event.Asked:
			switch moment {
			case beforeAnswer:
				heard()
				send(yes)
			case withAnswer:
				send(yes)
				pause()
				send(event.Interrupt{})
			case decided:
				send(yes)
				heard()
			default:
				send(yes)
			}
		case *event.Decided:
			if moment == starting {
				heard()
			}
		case *event.ToolStart:
			if moment == started {
				pause()
				send(event.Interrupt{})
			}
		case *event.ToolEnd:
			end = e
		case *event.TurnEnd:
			close(commands)
		}
	}
	return len(entered) > 0, end
}
