package acp

import (
	"context"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// killAfter is how long after a cancellation the turn is interrupted a second time, which
// kills what still runs.
const killAfter = 3 * time.Second

// turns holds the turn of the prompt that the editor waits for, and sends its commands to
// the agent. It is safe for concurrent use.
type turns struct {
	outbox *screen.Outbox

	mu  sync.Mutex
	now *turn // nil if no prompt runs
}

// turn is the turn of a prompt of the editor. The fields after ended belong to turns.
type turn struct {
	ended chan ending // holds one

	command   event.Command // nil until it is known
	stop      func()        // ends the wait for an MCP server that answers with the prompt
	began     bool          // the agent has taken the prompt
	again     bool          // the prompt was sent a second time
	cancelled bool
}

// ending is how a turn ended: with a reason to stop, or an error.
type ending struct {
	response acp.PromptResponse
	err      error
}

// stopped is the ending with a reason to stop.
func stopped(why acp.StopReason) ending {
	return ending{response: acp.PromptResponse{StopReason: why}}
}

// busy reports whether a prompt runs.
func (ts *turns) busy() bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.now != nil
}

// begin begins the turn of a prompt whose command follows. The context ends when the turn
// has ended or is cancelled. The turn is nil if another prompt runs.
func (ts *turns) begin(ctx context.Context) (context.Context, *turn) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.now != nil {
		return ctx, nil
	}
	ctx, stop := context.WithCancel(ctx)
	ts.now = &turn{ended: make(chan ending, 1), stop: stop}
	return ctx, ts.now
}

// send sends the command of t, unless the turn has ended or is cancelled.
func (ts *turns) send(t *turn, c event.Command) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	switch {
	case ts.now != t:
	case t.cancelled:
		ts.end(stopped(acp.StopReasonCancelled))
	default:
		if _, prompts := c.(event.Prompt); !prompts {
			t.began = true
		}
		t.command = c
		ts.outbox.Send(c)
	}
}

// cancel interrupts what the agent does. It returns the turn of the prompt if it is an undo
// or a redo: no TurnEnd follows, so it has to be finished.
func (ts *turns) cancel() (undo *turn) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.outbox.Send(event.Interrupt{})
	t := ts.now
	if t == nil {
		return nil
	}
	t.cancelled = true
	t.stop()
	time.AfterFunc(killAfter, func() {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		if ts.now == t {
			ts.outbox.Send(event.Interrupt{})
		}
	})
	if _, undoes := t.command.(event.PlanUndo); undoes {
		return t
	}
	return nil
}

// runs reports whether t has not ended.
func (ts *turns) runs(t *turn) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.now == t
}

// finish ends t without a TurnEnd, unless it has ended.
func (ts *turns) finish(t *turn, end ending) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.now != t {
		return
	}
	if t.cancelled {
		end = stopped(acp.StopReasonCancelled)
	}
	ts.end(end)
}

// close ends the turn after the agent has ended.
func (ts *turns) close() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.end(stopped(acp.StopReasonCancelled))
}

// took records that the agent has taken the prompt of the turn.
func (ts *turns) took(e *event.UserSaid) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.now != nil && !e.Auto {
		ts.now.began = true
	}
}

// returned handles a prompt that the agent returned without taking it, because another
// turn ended at the same moment or the session could not be read. It sends the prompt
// again, once.
func (ts *turns) returned() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	switch t := ts.now; {
	case t == nil || t.began || t.command == nil:
	case t.cancelled:
		ts.end(stopped(acp.StopReasonCancelled))
	case t.again:
		t.began = true // the TurnEnd that follows says why
	default:
		t.again = true
		ts.outbox.Send(t.command)
	}
}

// turnEnd answers the prompt when its turn has ended.
func (ts *turns) turnEnd(e *event.TurnEnd) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.now
	if t == nil || !t.began && !t.cancelled { // a turn that the agent started itself
		return
	}
	end := endingOf(e)
	if t.cancelled {
		end = stopped(acp.StopReasonCancelled)
	}
	ts.end(end)
}

// end answers the prompt, if one runs. ts.mu is held.
func (ts *turns) end(end ending) {
	if ts.now != nil {
		ts.now.stop()
		ts.now.ended <- end
		ts.now = nil
	}
}

// endingOf returns how a turn ended, for the editor.
func endingOf(e *event.TurnEnd) ending {
	u := e.Usage
	response := acp.PromptResponse{Usage: &acp.Usage{InputTokens: u.Input, OutputTokens: u.Output, TotalTokens: u.Total()}}
	switch e.Reason {
	case event.Done:
		response.StopReason = acp.StopReasonEndTurn
	case event.OutOfTokens:
		response.StopReason = acp.StopReasonMaxTokens
	case event.Filtered:
		response.StopReason = acp.StopReasonRefusal
	case event.MaxSteps, event.OverBudget, event.AllFailed, event.Repeating:
		response.StopReason = acp.StopReasonMaxTurnRequests
	case event.UserInterrupt:
		response.StopReason = acp.StopReasonCancelled
	default:
		text := clean(e.Error)
		if hint := hintOf(e); hint != "" {
			text += ". " + hint
		}
		return ending{err: &acp.RequestError{Code: -32603, Message: text}}
	}
	return ending{response: response}
}
