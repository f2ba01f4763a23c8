package session

import (
	"context"
	"iter"
	"slices"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// Ending is Fold of the end of a session: of its last turns, which hold at least
// so many events, or of all of it where that is less. It reads no more of the
// log than it must, and passes over damage. What the State says is of those
// events alone, but for the model; its Closing is what the last turn lacks.
func Ending(ctx context.Context, v *history.View, least int) (State, error) {
	g, ok, err := tail(v.Before(history.End), least)
	if err != nil {
		return State{}, err
	}
	if ok {
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

// tail gathers the end of a session from its records, the last of which comes
// first. It reports false where something was taken back in it.
func tail(records iter.Seq2[history.Record, error], least int) (gathering, bool, error) {
	var events []event.Durable
	g, n := newGathering(), 0
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

// modelBefore returns the model and its effort of a session whose end says
// nothing of them: those that it began with, if every step of the end was that
// model's. Otherwise all of the log has to be looked through.
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

// lastModel returns the model and the effort that a log tells of last, reading
// nothing else in it, unless something was taken back, which may be that.
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

// firstModel returns what was set before anything was answered; empty for
// nothing.
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
