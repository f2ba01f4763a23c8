package session

import (
	"context"
	"iter"
	"slices"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// Ending is ReplayRecords of the last turns of a session: as few as have at least least
// events. It reads no more of the log than necessary and skips damaged records. The
// State describes only those events, except for the model. Its Closing completes the
// last turn.
func Ending(ctx context.Context, v *history.View, least int) (State, error) {
	g, ok, err := tail(v.Before(history.End), least)
	if err != nil {
		return State{}, err
	}
	if ok {
		g.log = v
		f := g.replay()
		s := f.state()
		if s.Model == "" {
			var m event.ModelSet
			m, err = modelBefore(ctx, v, s)
			s.setModel(&m)
		}
		return s, err
	}
	all, err := ReadIndex(ctx, v)
	if err != nil {
		return State{}, err
	}
	if g, err = all.tail(ctx, v, least); err != nil {
		return State{}, err
	}
	f := g.replay()
	s := f.state()
	s.setModel(all.model())
	return s, nil
}

// tail reads records, newest first, until it has least events and the beginning of a
// turn. It reports false if it meets a Rewound.
func tail(records iter.Seq2[history.Record, error], least int) (collection, bool, error) {
	var events []event.Durable
	g, n := newCollection(), 0
	for s, err := range Events(records, event.Decode) {
		if err != nil {
			return g, false, err
		}
		switch s.Event.(type) {
		case *event.Rewound:
			return g, false, nil
		case *event.Partial:
		default:
			n++
		}
		if events = append(events, s.Event); n >= least && beginsTurn(s.Event) {
			break
		}
	}
	for _, e := range slices.Backward(events) {
		g.add(e)
	}
	return g, true, nil
}
