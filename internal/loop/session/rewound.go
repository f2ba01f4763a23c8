package session

import (
	"context"
	"errors"
	"iter"
	"slices"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// RemovedEvent is an event that a rewind removed.
type RemovedEvent struct {
	Offset int64         // of its record in the log
	Event  event.Durable // without long contents
}

// RemovedEvents returns the events that rewinds removed from a session, in order of
// removal. It is fast for a session without rewinds.
func RemovedEvents(ctx context.Context, v *history.View) ([]RemovedEvent, error) {
	last := int64(-1) // offset of the last Rewound
	for r, err := range validRecords(ctx, v, 0) {
		if err != nil {
			return nil, err
		}
		if typ, err := event.NameIn(r.Body); err == nil && typ == "rewind" {
			last = r.Offset
		}
	}
	var removed []RemovedEvent
	s := newIndex()
	for r, err := range validRecords(ctx, v, 0) {
		if err != nil || r.Offset > last {
			return removed, err
		}
		e, err := DecodeLight(r.Body)
		if err != nil {
			return removed, err
		}
		if e == nil {
			continue
		}
		events, at := s.events, s.at
		if _, ok := e.(*event.Rewound); ok {
			events, at = slices.Clone(events), slices.Clone(at)
		}
		s.addAt(e, r.Offset)
		for i := len(s.events); i < len(events); i++ {
			removed = append(removed, RemovedEvent{at[i], events[i]})
		}
	}
	return removed, nil
}

// validRecords yields the undamaged records of a log from an offset on. An error is
// the last value.
func validRecords(ctx context.Context, v *history.View, from int64) iter.Seq2[history.Record, error] {
	return func(yield func(history.Record, error) bool) {
		for r, err := range v.Pass(from) {
			if errors.As(err, new(history.Problem)) {
				continue
			}
			if err == nil {
				err = ctx.Err()
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}
