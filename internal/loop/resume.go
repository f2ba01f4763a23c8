package loop

import (
	"context"
	"fmt"
	"slices"

	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
)

// survey reads the session that the agent resumes from beginning to end, in one
// pass, and reports it: what it holds, what it lacks, which of its permissions
// apply.
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
		_ = a.rec.emit(event.Unreadable{Why: err.Error()})
		return
	}
	a.folded, a.folds = s.Folding()
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
		_ = a.rec.emit(all)
	}
	a.permissions.showResumed(ctx, s.Events())
	for _, start := range s.Running() {
		_ = a.rec.emit(session.LostShell(start, event.Meta{Time: s.Last()}))
	}
}

// load puts the session into c, unless c holds it already. It reads what survey did
// not fold, which may take a second.
func (a *Agent) load(ctx context.Context, c *turn.Conversation) error {
	if c.Loaded {
		return nil
	}
	f, from := a.folded, a.folds
	if f == nil {
		f, from = session.NewFolding(), 0
	}
	a.folded = nil
	to := a.rec.places.Count()
	err := a.fold(ctx, f, from, to)
	if err == nil {
		a.rec.do(func() { err = a.catchUp(ctx, c, f, to) })
	}
	if err != nil {
		return fmt.Errorf("read the session: %w", err)
	}
	return nil
}

// fold adds to f the events from number from up to, and without, to.
func (a *Agent) fold(ctx context.Context, f *session.Folding, from, to int) error {
	for e, err := range a.rec.events(ctx, from, to, event.Decode) {
		if err != nil {
			return err
		}
		f.Add(e)
	}
	return nil
}

// catchUp folds the events that were recorded since the first n were folded, as a
// typed command may have ended, and takes the session over. It runs in the
// recorder's goroutine, so that nothing is put on record meanwhile.
func (a *Agent) catchUp(ctx context.Context, c *turn.Conversation, f *session.Folding, n int) error {
	if err := a.fold(ctx, f, n, a.rec.places.Count()); err != nil {
		return err
	}
	f.Abandon() // where a turn broke down
	a.rec.loadTyped(f.Typed.Untold)
	c.Load(f.Messages, f.Steps, f.Meter, f.Readings)
	a.models.loaded(address{f.Model, f.BaseURL})
	a.permissions.load(f.Grants)
	return nil
}

// rewind removes from the conversation what came after the first keep events, while
// no turn runs. Files stay as they are: what is to follow them back needs the kept
// events and the removed ones, both of which are known here.
func (a *Agent) rewind(ctx context.Context, keep int) {
	events, err := a.lightEvents(ctx)
	if err != nil {
		a.rec.notify("Nothing was taken back: " + err.Error())
		return
	}
	keep = session.Boundary(events, keep)
	if keep == len(events) {
		a.rec.notify("There is nothing to take back.")
		return
	}
	modeSet := slices.ContainsFunc(events[keep:], func(e event.Durable) bool { _, ok := e.(*event.ModeSet); return ok })
	_ = a.rec.emit(&event.Rewound{Meta: a.rec.meta(), Keep: keep})
	a.conv.Loaded, a.folded = false, nil
	if err := a.load(ctx, a.conv); err != nil {
		a.rec.notify(err.Error()) // the next prompt tries again
	}
	if modeSet { // the mode stays as the user set it last
		a.permissions.setMode(a.permissions.Mode())
	}
}

// lightEvents returns the events of the session so far, without large fields.
func (a *Agent) lightEvents(ctx context.Context) (all []event.Durable, err error) {
	for e, err := range a.rec.events(ctx, 0, a.rec.places.Count(), session.DecodeLight) {
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// Page returns the events of the session from number from up to, and without,
// number to. It may be called by any goroutine after event.Opened.
func (a *Agent) Page(from, to int) (all []event.Event, err error) {
	for e, err := range a.rec.events(context.Background(), from, to, event.Decode) {
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}
