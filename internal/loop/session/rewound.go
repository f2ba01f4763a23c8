package session

import (
	"context"
	"errors"
	"slices"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// Taken is an event that was taken back.
type Taken struct {
	Offset int64         // where its record begins in the log
	Event  event.Durable // without what may be long
}

// TakenBack returns the events of a session that were taken back, in the order in
// which they were. Of most sessions that is nothing, which is found out fast.
func TakenBack(ctx context.Context, v *history.View) ([]Taken, error) {
	last := int64(-1) // where something was taken back last
	err := eachRecord(ctx, v, func(r history.Record) (more bool, err error) {
		typ, err := event.NameIn(r.Body)
		if err == nil && typ == "rewind" {
			last = r.Offset
		}
		return true, nil
	})
	if err != nil || last < 0 {
		return nil, err
	}
	var taken []Taken
	s := newIndex()
	err = eachRecord(ctx, v, func(r history.Record) (more bool, err error) {
		e, err := DecodeLight(r.Body)
		if err != nil || e == nil {
			return true, err
		}
		events, at := s.events, s.at
		if _, ok := e.(*event.Rewound); ok {
			events, at = slices.Clone(events), slices.Clone(at)
		}
		s.addAt(e, r.Offset)
		for i := len(s.events); i < len(events); i++ {
			taken = append(taken, Taken{at[i], events[i]})
		}
		return r.Offset < last, nil
	})
	return taken, err
}

// eachRecord hands the records of a log to do until that wants no more, or fails.
// Damage is passed over.
func eachRecord(ctx context.Context, v *history.View, do func(history.Record) (more bool, err error)) error {
	for r, err := range v.Pass(0) {
		if errors.As(err, new(history.Problem)) {
			continue
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if more, err := do(r); err != nil || !more {
			return err
		}
	}
	return nil
}
