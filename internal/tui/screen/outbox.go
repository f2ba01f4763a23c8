package screen

import (
	"context"
	"time"

	"agent/internal/loop/event"
)

// Outbox is the way of commands to the agent: in order, and without waiting for it.
type Outbox struct {
	in     chan event.Command
	passed chan struct{} // closed when all are passed on
	ctx    context.Context
}

// NewOutbox returns the way to an agent that takes commands from out. It ends with
// ctx, or with Close.
func NewOutbox(ctx context.Context, out chan<- event.Command) *Outbox {
	b := &Outbox{make(chan event.Command), make(chan struct{}), ctx}
	go func() {
		defer close(b.passed)
		Relay(ctx, b.in, out)
	}()
	return b
}

// Send sends a command. It must not be called after Close.
func (b *Outbox) Send(c event.Command) {
	select {
	case b.in <- c:
	case <-b.ctx.Done():
	}
}

// Close waits until the agent has taken all commands, at most that long.
func (b *Outbox) Close(patience time.Duration) {
	close(b.in)
	select {
	case <-b.passed:
	case <-time.After(patience):
	}
}

// Relay passes commands on in their order and takes every one at once, however
// slow the other side is: who sends to in never waits for the agent. It ends
// with ctx, or when in is closed and everything passed on.
func Relay(ctx context.Context, in <-chan event.Command, out chan<- event.Command) {
	var queue []event.Command
	for in != nil || len(queue) > 0 {
		var next event.Command
		var to chan<- event.Command
		if len(queue) > 0 {
			next, to = queue[0], out
		}
		select {
		case c, ok := <-in:
			if !ok {
				in = nil
				continue
			}
			queue = append(queue, c)
		case to <- next:
			queue = queue[1:]
		case <-ctx.Done():
			return
		}
	}
}
