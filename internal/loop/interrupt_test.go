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

// stubborn is a tool that does not end with its context: only force ends it.
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

// A second interrupt kills at once what the first one left to end by itself, in
// this turn and anew in the next.
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

// Leaving while a turn that was interrupted still ends is the second interrupt.
func TestLeavingForces(t *testing.T) {
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

// when is how an interrupt falls between a yes and the start of the call.
type when int

const (
	beforeAnswer when = iota // heard before the yes
	withAnswer               // at the same time as the yes
	decided                  // heard before anybody learns of the yes
	starting                 // heard before anybody learns of the start
	started                  // at any time from then on
	moments
)

// Wherever an interrupt falls between a yes and the start of the call, the call
// either did not run and its result says so, or it ran and its result says that.
func TestInterruptBetweenYesAndStart(t *testing.T) {
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
	t.Attr("promise", fmt.Sprintf("a stop between a yes and the start of the call is told as it was: moments tried: %d", tries))
}

// interruptAround plays a turn of one call that is allowed and interrupted. It
// reports whether the tool was run, and the call's end.
func interruptAround(t *testing.T, r *rand.Rand, moment when) (ran bool, end *event.ToolEnd) {
	t.Helper()
	entered := make(chan struct{}, 1)
	run := tool("run", tools.Execute, func(ctx context.Context, _ string) (string, error) {
		entered <- struct{}{}
		<-ctx.Done()
		return "", ctx.Err()
	})
	o := options(script.New(script.Call("c1", "run", args("make"))), run)
	o.Mode = event.ModeAsk
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
	heard := func() { send(event.Interrupt{}, event.Answer{}) } // once the next command is taken, the one before was carried out
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
