package tui

import (
	"context"
	"slices"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

const (
	// frame is the least time between two drawings of streamed text. This is the
	// only place where text waits to be drawn.
	frame = 20 * time.Millisecond
	// breath is how long everything else does, so that a flood comes in few
	// batches.
	breath = 4 * time.Millisecond
	// fullBatch and fullBytes bound a batch: so many events, with so many bytes of
	// text that streams. A key waits for one batch at most.
	fullBatch = 2048
	fullBytes = 256 << 10
)

// batch holds events in the order in which they came, all that were ready.
type batch []event.Event

// gone says that no more events will come.
type gone struct{}

// pump hands events to send in batches: the first after a pause at once, then
// whatever gathered. What only streams waits for the end of a frame, and what
// cannot wait takes it along. While a batch is handed over, nothing more is
// taken, so that a flood is slowed rather than hoarded. It returns when events is
// closed, after sending gone, or when ctx ends.
func pump(ctx context.Context, events <-chan event.Event, send func(any)) {
	var streamed, sent time.Time // when something that streams, and anything, was last sent
	for {
		b, open := gather(ctx, events, streamed, sent)
		if len(b) > 0 {
			send(b)
			sent = time.Now()
			if streams(b[len(b)-1]) {
				streamed = sent
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

// gather waits for an event and takes what comes until a batch is due. It
// reports whether more may come.
func gather(ctx context.Context, events <-chan event.Event, streamed, sent time.Time) (b batch, open bool) {
	var due <-chan time.Time // nil until there is something to send
	var urgent bool
	bytes := 0
	for {
		if len(b) >= fullBatch || bytes >= fullBytes {
			return b, true
		}
		select {
		case ev, ok := <-events:
			if !ok {
				return b, false
			}
			b = append(b, ev)
			bytes += streamedBytes(ev)
			switch {
			case due == nil && streams(ev) && time.Since(streamed) >= frame:
				return b, true
			case !streams(ev) && !urgent:
				urgent = true
				due = time.After(time.Until(sent.Add(breath)))
			case due == nil:
				due = time.After(time.Until(streamed.Add(frame)))
			}
			continue
		case <-due:
			return b, true
		case <-ctx.Done():
			return b, false
		}
	}
}

// streamedBytes is how much text streams in ev.
func streamedBytes(ev event.Event) int {
	switch ev := ev.(type) {
	case event.Progress:
		return len(ev.Text)
	case event.Streamed:
		switch d := ev.Delta.(type) {
		case llm.TextDelta:
			return len(d.Text)
		case llm.ThinkingDelta:
			return len(d.Text)
		case llm.CallDelta:
			return len(d.Args)
		}
	}
	return 0
}

// onlyStreams reports whether all of b streams.
func (b batch) onlyStreams() bool {
	return !slices.ContainsFunc(b, func(ev event.Event) bool { return !streams(ev) })
}

// streams reports whether ev is a piece of what is told again when it is whole.
func streams(ev event.Event) bool {
	switch ev.(type) {
	case event.Streamed, event.Progress:
		return true
	}
	return false
}
