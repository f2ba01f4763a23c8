package tui

import (
	"context"
	"slices"
	"time"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

const (
	// frameTime is the minimum time between two batches of streamed text. It is shorter
	// than the time between two reads of a connection that has streamed for a while, so
	// that text from there is not delayed again.
	frameTime = 30 * time.Millisecond
	// batchTime is the minimum time between two batches with other events, so that
	// many events at once arrive in few batches.
	batchTime = 4 * time.Millisecond
	// maxBatchEvents and maxBatchBytes limit the events and the bytes of streamed
	// text in a batch. A key press waits for at most one batch.
	maxBatchEvents = 2048
	maxBatchBytes  = 256 << 10
)

// batch holds events in the order of their arrival.
type batch []event.Event

// eventsClosed is sent when the agent has closed its events.
type eventsClosed struct{}

// pump passes events to send in batches. The first event after a pause is sent
// immediately. Streamed text waits for frameTime, or until another event is sent. pump
// receives nothing while send runs, so that a fast agent is slowed down and memory
// stays bounded. It returns when ctx ends, or when events is closed, after sending
// gone.
func pump(ctx context.Context, events <-chan event.Event, send func(any)) {
	var streamed, sent time.Time // when the last batch that ended in streamed text, and the last of any kind, was sent
	for {
		b, open := nextBatch(ctx, events, streamed, sent)
		if len(b) > 0 {
			send(b)
			sent = time.Now()
			if streams(b[len(b)-1]) {
				streamed = sent
			}
		}
		if !open {
			if ctx.Err() == nil {
				send(eventsClosed{})
			}
			return
		}
	}
}

// nextBatch waits for an event and collects events until the batch is due or full. It
// reports false if events was closed or ctx ended.
func nextBatch(ctx context.Context, events <-chan event.Event, streamed, sent time.Time) (b batch, open bool) {
	var due <-chan time.Time // nil while b is empty
	var urgent bool
	bytes := 0
	for {
		if len(b) >= maxBatchEvents || bytes >= maxBatchBytes {
			return b, true
		}
		select {
		case ev, ok := <-events:
			if !ok {
				return b, false
			}
			b = append(b, ev)
			bytes += textBytes(ev)
			switch {
			case due == nil && streams(ev) && time.Since(streamed) >= frameTime:
				return b, true
			case !streams(ev) && !urgent:
				urgent = true
				due = time.After(time.Until(sent.Add(batchTime)))
			case due == nil:
				due = time.After(time.Until(streamed.Add(frameTime)))
			}
			continue
		case <-due:
			return b, true
		case <-ctx.Done():
			return b, false
		}
	}
}

// textBytes returns the size of the output or streamed text in ev.
func textBytes(ev event.Event) int {
	switch ev := ev.(type) {
	case event.Progress:
		return len(ev.Text)
	case event.Streamed:
		return screen.StreamedBytes(ev.Delta)
	case event.Delegated:
		return textBytes(ev.Event)
	}
	return 0
}

// onlyStreams reports whether b holds only streamed text.
func (b batch) onlyStreams() bool {
	return !slices.ContainsFunc(b, func(ev event.Event) bool { return !streams(ev) })
}

// streams reports whether ev is a piece of streamed text. A later event repeats the
// complete text.
func streams(ev event.Event) bool {
	switch ev := ev.(type) {
	case event.Streamed, event.Progress:
		return true
	case event.Delegated:
		return streams(ev.Event)
	}
	return false
}
