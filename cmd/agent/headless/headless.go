// Package headless runs one turn of an agent without a user: Turn sends the prompt and
// ends on signals, a Printer prints the events, Output is the standard output, and
// Result is what --output json prints. It opens no session and never asks. Start
// reading at Turn.
package headless

import (
	"context"
	"fmt"
	"os"

	"agent/cmd/agent/exit"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
)

// Turn is one turn of a session without a user.
type Turn struct {
	// Agent runs until its context ends. It closes the channel of events.
	Agent interface {
		Run(ctx context.Context, commands <-chan event.Command, events chan<- event.Event)
	}
	Signals *exit.Signals
	Prompt  event.Prompt
	Schema  *turn.Schema // of the answer; nil for any answer
	Session string       // ID; empty if the session is not saved
	Model   string
	// StrictDenied is set if any denied call sets the exit code.
	StrictDenied bool
	// Late is closed when input comes that the prompt should have had: see Stdin. It may be
	// nil.
	Late  <-chan struct{}
	Saved func() bool // reports whether the session is on disk
	// Expire begins to delete old sessions. It closes the channel, from which the user
	// gets notices, when it has ended, at the latest with the context.
	Expire func(context.Context) <-chan string
}

// Run runs the turn and prints its events with p, which writes to out. Its error holds
// the exit code.
func (t Turn) Run(p Printer, out *Output) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	signals := make(chan os.Signal, 4)
	running := t.Signals.Begin(exit.Forward(signals), true)
	defer running.End()

	commands, events := make(chan event.Command, 4), make(chan event.Event, 64)
	go t.Agent.Run(ctx, commands, events)
	commands <- t.Prompt

	expiring, cancel := context.WithCancel(context.Background()) // independent of the turn
	defer cancel()
	expired := t.Expire(expiring)

	r, late := t.result(), t.Late
	killed := 0 // exit code of the signal that ends the program; 0 for none
	for events != nil {
		select {
		case s := <-signals:
			if killed != 0 {
				stop() // the second signal: do not wait for the end of the turn
				continue
			}
			killed = exit.SignalCode(s)
			cancel()
			commands <- event.Interrupt{}
		case <-late:
			late = nil
			if r.run.edited {
				p.Event(event.Notice{Text: lateInput + ". The input is not used, because files have been edited."})
				continue
			}
			r.run.late = true
			cancel()
			commands <- event.Interrupt{}
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			p.Event(e)
			if killed == 0 && out.closed() {
				killed = exit.OutputClosed
				cancel()
				commands <- event.Interrupt{}
			}
			if r.Add(e) {
				stop()
			}
		}
	}
	for text := range expired {
		p.Event(event.Notice{Text: text})
	}
	r.finish(t.Schema, killed)
	p.End(r)
	return t.outcome(r.ExitCode, out)
}

// result returns the result of a turn that has not ended.
func (t Turn) result() Result {
	return Result{Type: "result", Session: t.Session, Model: t.Model, ExitCode: exit.Failed, run: progress{strict: t.StrictDenied}}
}

// outcome returns the error of a run with this exit code.
func (t Turn) outcome(code int, out *Output) error {
	switch {
	case code != exit.Done && code != exit.Denied:
		return &exit.Error{Code: code}
	case out.closed():
		return &exit.Error{Code: exit.OutputClosed}
	case out.err != nil && t.Saved():
		return fmt.Errorf("the output is incomplete: %w. The session holds all of it: agent sessions show %s", out.err, t.Session)
	case out.err != nil:
		return fmt.Errorf("the output is incomplete: %w", out.err)
	case code != exit.Done:
		return &exit.Error{Code: code}
	}
	return nil
}
