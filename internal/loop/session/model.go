package session

import (
	"context"
	"encoding/json"

	"agent/internal/history"
	"agent/internal/loop/event"
)

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
	for s, err := range Events(undamaged(ctx, v, 0), Only(&event.ModelSet{}, &event.Rewound{})) {
		if err != nil {
			return event.ModelSet{}, err
		}
		switch e := s.Event.(type) {
		case *event.ModelSet:
			last = *e
		case *event.Rewound:
			all, err := ReadIndex(ctx, v)
			if err != nil {
				return event.ModelSet{}, err
			}
			return *all.model(), nil
		}
	}
	return last, nil
}

// firstModel returns the first ModelSet before any message of a model; the zero value
// if there is none.
func firstModel(ctx context.Context, v *history.View) (event.ModelSet, error) {
	for s, err := range Events(undamaged(ctx, v, 0), DecodeLight) {
		if err != nil {
			return event.ModelSet{}, err
		}
		switch e := s.Event.(type) {
		case *event.ModelSet:
			return *e, nil
		case *event.MessageDone:
			return event.ModelSet{}, nil
		}
	}
	return event.ModelSet{}, nil
}

// LatestModel returns the last ModelSet of the most recent session in a directory that
// has one for which skip returns false; the zero value if there is none.
func LatestModel(store *history.Store, dir string, skip func(event.ModelSet) bool) (last event.ModelSet) {
	record, err := store.Last(dir, event.ModelRecord, func(record json.RawMessage) bool {
		last = event.ModelSet{}
		if e, err := event.Decode(record); err == nil {
			last = *e.(*event.ModelSet)
		}
		return skip(last)
	})
	if err != nil || record == nil {
		return event.ModelSet{}
	}
	return last
}
