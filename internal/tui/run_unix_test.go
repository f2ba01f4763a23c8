//go:build unix

package tui

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
	"agent/internal/tui/terminal/ptytest"
)

// runEnd holds the results of Run.
type runEnd struct {
	exit screen.Exit
	err  error
}

// ptyWindow is a pseudo-terminal in which Run runs.
type ptyWindow struct {
	*ptytest.Terminal
	t        *testing.T
	events   chan event.Event
	commands chan event.Command
	ended    chan runEnd
	before   *term.State
}

func openTerminal(t *testing.T, ctx context.Context) *ptyWindow {
	t.Helper()
	x := &ptyWindow{Terminal: ptytest.Open(t, 80, 24), t: t,
		events: make(chan event.Event), commands: make(chan event.Command), ended: make(chan runEnd, 1)}
	var err error
	if x.before, err = term.GetState(x.Theirs.Fd()); err != nil {
		t.Fatal(err)
	}
	go func() {
		exit, err := Run(ctx, screen.Options{Events: x.events, Commands: x.commands, Version: "0.1", Input: x.Theirs, Output: x.Theirs, Session: screen.Session{Mode: "ask"}})
		x.ended <- runEnd{exit, err}
	}()
	return x
}

// command returns the next command to the agent that is not a SaveDraft.
func (x *ptyWindow) command() event.Command {
	for {
		c := <-x.commands
		if _, draft := c.(event.SaveDraft); !draft {
			return c
		}
	}
}

// end waits for Run and checks that the terminal is restored.
func (x *ptyWindow) end() screen.Exit {
	x.t.Helper()
	end := <-x.ended
	if end.err != nil {
		x.t.Error(end.err)
	}
	x.Until("the resets", func(output string) bool { return ptytest.Left(output) == nil })
	after, err := term.GetState(x.Theirs.Fd())
	if err != nil {
		x.t.Fatal(err)
	}
	if diff := cmp.Diff(after, x.before, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		x.t.Errorf("the terminal is not restored (-got +want):\n%s", diff)
	}
	return end.exit
}

func TestRun(t *testing.T) {
	x := openTerminal(t, t.Context())
	x.Expect("agent 0.1")
	x.Type("hello\r")
	if diff := cmp.Diff(x.command(), event.Command(event.Prompt{Text: "hello"})); diff != "" {
		t.Errorf("command (-got +want):\n%s", diff)
	}
	x.events <- userSaid("hello")
	x.events <- streamed("r1", "Well met")
	x.Expect("Well met")
	x.Type("\x03")
	if diff := cmp.Diff(x.command(), event.Command(event.Interrupt{})); diff != "" {
		t.Errorf("command (-got +want):\n%s", diff)
	}
	x.events <- done(llm.Assistant, "r1", "Well met.")
	x.events <- turnEnd(event.UserInterrupt, time.Second)
	x.Expect("interrupted")
	x.Type("\x04")
	if diff := cmp.Diff(x.end(), screen.Exit{LastAnswer: "Well met.", Turns: 1}); diff != "" {
		t.Errorf("exit (-got +want):\n%s", diff)
	}
}

// The keys that edit a plan reach the dialog through a terminal.
func TestEditPlanAtATerminal(t *testing.T) {
	x := openTerminal(t, t.Context())
	x.Expect("agent 0.1")
	for _, ev := range planned("# Fix it\n\n1. Fix it\n") {
		x.events <- ev
	}
	x.Expect("ctrl+e edit") // the dialog takes keys
	x.Type("\x05")
	x.Expect("ctrl+s finish")
	x.Type("Now: \x13")
	x.Expect("Approve this plan?")
	x.Expect("1–4") // the pause after the edit is over
	x.Type("1")
	want := event.Answer{ID: "1", Decision: event.Allow, Mode: event.ModeAsk, Text: "Now: # Fix it\n\n1. Fix it"}
	if diff := cmp.Diff(x.command(), event.Command(want)); diff != "" {
		t.Errorf("command (-got +want):\n%s", diff)
	}
	x.events <- turnEnd(event.Done, time.Second)
	x.Expect("6.1k tokens this turn")
	x.Type("\x04")
	x.end()
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x := openTerminal(t, ctx)
	x.Expect("agent 0.1")
	x.events <- userSaid("hello")
	cancel()
	x.end()
}

func TestRunEndsWithTheAgent(t *testing.T) {
	x := openTerminal(t, t.Context())
	x.Expect("agent 0.1")
	close(x.events)
	x.end()
}

// Run returns even if its terminal is gone.
func TestRunOutlivesItsTerminal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x := openTerminal(t, ctx)
	x.Expect("agent 0.1")
	x.Ours.Close()
	cancel()
	<-x.ended
}
