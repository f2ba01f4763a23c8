package loop

import (
	"context"

	"agent/internal/loop/event"
	"agent/internal/loop/session"
)

// survey finds out where the events are of the session that the agent goes on
// with, and what it lacks, and tells of it.
func (a *Agent) survey(ctx context.Context) {
	if a.o.Log == nil || !a.o.Log.Begun() {
		return
	}
	v, err := a.o.Log.View()
	var s *session.Index
	if err == nil {
		defer v.Close()
		s, err = session.ReadIndex(ctx, v)
	}
	if err != nil {
		a.rec.places.Begin(nil, err)
		_ = a.emit(event.Unreadable{Why: err.Error()})
		return
	}
	closing := s.Closing()
	a.rec.do(func() {
		a.rec.places.Begin(s.Offsets(), nil)
		a.rec.begun = len(s.Offsets()) > 0
		a.rec.spoken = a.rec.begun
		for _, e := range closing {
			if record, err := event.Encode(e); err == nil {
				a.rec.places.Add(e, record)
			}
		}
	})
	if all := s.Opened(closing); all.Events > 0 || len(all.Problems) > 0 {
		_ = a.emit(all)
	}
	a.listGrants(ctx, s.Events())
	for _, start := range s.Running() {
		_ = a.emit(session.LostShell(start, event.Meta{Time: s.Last()}))
	}
}
