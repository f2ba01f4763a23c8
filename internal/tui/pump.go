package tui

import (
	"context"
	"time"

	"agent/internal/loop"
)

// frame is how long events gather before they are drawn.
const frame = 16 * time.Millisecond

// batch holds events in the order in which they came, all that were ready.
type batch []loop.Event

// gone says that no more events will come.
type gone struct{}

// pump hands events to send in batches, one a frame: the first after a pause
// at once, then whatever gathered. While a batch waits to be drawn, nothing
// more is taken, so that a flood is slowed rather than hoarded. It returns when
// events is closed, after sending gone, or when ctx ends.
func pump(ctx context.Context, events <-chan loop.Event, send func(any)) {
	for {
		var first loop.Event
		select {
		case ev, ok := <-events:
			if !ok {
				send(gone{})
				return
			}
			first = ev
		case <-ctx.Done():
			return
		}
		ready, open := gather(ctx, events, batch{first}, nil)
		send(ready)
		for open && len(ready) > 0 {
			ready, open = gather(ctx, events, nil, time.After(frame))
			if len(ready) > 0 {
				send(ready)
			}
		}
		if !open {
			if ctx.Err() == nil {
				send(gone{})
			}
			return
		}
	}
}

// gather adds to b what comes until the frame is over, or with none what is
// ready. It reports whether more may come.
func gather(ctx context.Context, events <-chan loop.Event, b batch, over <-chan time.Time) (batch, bool) {
	if over == nil {
		for {
			select {
			case ev, ok := <-events:
				if !ok {
					return b, false
				}
				b = append(b, ev)
			default:
				return b, true
			}
		}
	}
	for {
		select {
		case ev, ok := <-events:
			if !ok {
				return b, false
			}
			b = append(b, ev)
		case <-over:
			return b, true
		case <-ctx.Done():
			return b, false
		}
	}
}

// relay passes commands on in their order and takes every one at once, however
// slow the other side is: who sends to in never waits for the agent. It ends
// with ctx, or when in is closed and everything passed on.
func relay(ctx context.Context, in <-chan loop.Command, out chan<- loop.Command) {
	var queue []loop.Command
	for in != nil || len(queue) > 0 {
		var next loop.Command
		var to chan<- loop.Command
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
