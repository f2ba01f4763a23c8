package screen

import (
	"context"
	"time"

	"agent/internal/loop/event"
)

// Outbox sends commands to the agent, in order and without blocking on it.
type Outbox struct {
	in     chan event.Command
	passed chan struct{} // closed when all commands are delivered
	ctx    context.Context
}

// NewOutbox returns an outbox that delivers to out until ctx ends or Close is called.
func NewOutbox(ctx context.Context, out chan<- event.Command) *Outbox {
	b := &Outbox{make(chan event.Command), make(chan struct{}), ctx}
	go func() {
		defer close(b.passed)
		Relay(ctx, b.in, out)
	}()
	return b
}

// Send queues a command. It must not be called after Close.
func (b *Outbox) Send(c event.Command) {
	select {
	case b.in <- c:
	case <-b.ctx.Done():
	}
}

// Close waits until all commands are delivered, at most for timeout.
func (b *Outbox) Close(timeout time.Duration) {
	close(b.in)
	select {
	case <-b.passed:
	case <-time.After(timeout):
	}
}

// Relay delivers commands from in to out in order. It buffers without limit, so that a
// send to in never blocks on the receiver of out. It returns when ctx ends, or when in
// is closed and everything is delivered.
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

// Drain discards events until ctx ends. An agent that blocks on an event takes no
// commands.
func Drain(ctx context.Context, events <-chan event.Event) {
	for {
		select {
		case _, ok := <-events:
			if !ok {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
