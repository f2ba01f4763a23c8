package session

import (
	"context"
	"slices"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// RemovedEvents returns the events that rewinds removed from a session, in order of
// removal, without their long contents. It is fast for a session without rewinds.
func RemovedEvents(ctx context.Context, v *history.View) ([]Stored, error) {
	last := int64(-1) // offset of the last Rewound
	for e, err := range Events(undamaged(ctx, v, 0), Only(&event.Rewound{})) {
		if err != nil {
			return nil, err
		}
		last = e.Offset
	}
	if last < 0 {
		return nil, nil
	}
	var removed []Stored
	s := newIndex()
	for e, err := range Events(undamaged(ctx, v, 0), DecodeLight) {
		if err != nil || e.Offset > last {
			return removed, err
		}
		events, at := s.events, s.at
		if _, ok := e.Event.(*event.Rewound); ok {
			events, at = slices.Clone(events), slices.Clone(at)
		}
		s.addAt(e.Event, e.Offset)
		for i := len(s.events); i < len(events); i++ {
			removed = append(removed, Stored{Event: events[i], Offset: at[i]})
		}
	}
	return removed, nil
}
