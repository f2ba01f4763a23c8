package session

import (
	"context"
	"iter"
	"slices"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// Ending is Fold of the last turns of a session: as few as have at least least
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
		f := g.folded()
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
	f := g.folded()
	s := f.state()
	s.setModel(all.model())
	return s, nil
}

// tail reads records, newest first, until it has least events and the beginning of a
// turn. It reports false if it meets a Rewound.
func tail(records iter.Seq2[history.Record, error], least int) (collection, bool, error) {
	var events []event.Durable
	g, n := newCollection(), 0
	for r, err := range records {
		if err != nil {
			return g, false, err
		}
		e, err := event.Decode(r.Body)
		if err != nil {
			return g, false, err
		}
		switch e.(type) {
		case nil:
			continue
		case *event.Rewound:
			return g, false, nil
		case *event.Partial:
		default:
			n++
		}
		if events = append(events, e); n >= least && beginsTurn(e) {
			break
		}
	}
	for _, e := range slices.Backward(events) {
		g.add(e)
	}
	return g, true, nil
}

// modelBefore returns the model of a session whose end has no ModelSet: the first
// model, if all steps of the end used it. Otherwise it searches the whole log.
func modelBefore(ctx context.Context, v *history.View, end State) (event.ModelSet, error) {
	first, err := firstModel(ctx, v)
	if err != nil {
		return event.ModelSet{}, err
	}
	steps := 0
	for _, e := range end.Events {
		if step, ok := e.(*event.StepEnd); ok && step.Model == first.Model {
			steps++
		}
	}
	if steps > 0 && steps == end.Steps {
		return first, nil
	}
	return lastModel(ctx, v)
}

// lastModel returns the last ModelSet of a log. It decodes no other records, unless
// there was a rewind, which may have removed a ModelSet.
func lastModel(ctx context.Context, v *history.View) (last event.ModelSet, err error) {
	for r, err := range validRecords(ctx, v, 0) {
		if err != nil {
			return event.ModelSet{}, err
		}
		typ, err := event.NameIn(r.Body)
		if err != nil || typ == "rewind" {
			all, err := ReadIndex(ctx, v)
			if err != nil {
				return event.ModelSet{}, err
			}
			return *all.model(), nil
		}
		if typ != event.ModelRecord {
			continue
		}
		e, err := event.Decode(r.Body)
		if err != nil {
			return event.ModelSet{}, err
		}
		last = *e.(*event.ModelSet)
	}
	return last, nil
}

// firstModel returns the first ModelSet before any message of a model; the zero value
// if there is none.
func firstModel(ctx context.Context, v *history.View) (event.ModelSet, error) {
	for r, err := range validRecords(ctx, v, 0) {
		if err != nil {
			return event.ModelSet{}, err
		}
		e, err := DecodeLight(r.Body)
		if err != nil {
			return event.ModelSet{}, err
		}
		switch e := e.(type) {
		case *event.ModelSet:
			return *e, nil
		case *event.MessageDone:
			return event.ModelSet{}, nil
		}
	}
	return event.ModelSet{}, nil
}
