package loop

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

// resumption is what openSession read of a resumed session, until load uses it.
type resumption struct {
	replay  *session.Replay // of the first events; nil once load has used it
	count   int             // number of events in replay
	pending bool            // the session is not loaded yet
}

// openSession reads the resumed session in one pass. It emits the Opened or
// Unreadable, notices about its standing permissions, and the ends of typed
// commands and of delegates that were running when the program exited.
func (a *Agent) openSession(ctx context.Context) {
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
		a.rec.begin(nil, nil, err)
		_ = a.rec.emit(event.Unreadable{Why: err.Error()})
		return
	}
	a.resume.replay, a.resume.count = s.Replay()
	closing := s.Closing()
	lost := s.Lost(closing)
	a.budget.Load(s.Used(slices.Concat(closing, lost)...))
	a.resume.pending = true
	earlier := s.Delegates()
	a.o.Delegates.Resume(earlier)
	a.rec.begin(s.Offsets(), closing, nil)
	all := s.Opened(closing)
	if a.o.Permissions.KeepSettings {
		if all.Mode != string(event.ModeAll) || len(all.Prompts) == 0 {
			a.permissions.resumeMode(event.Mode(all.Mode))
		}
		all.Mode = string(a.permissions.Mode())
	}
	_ = a.rec.emit(all)
	a.permissions.showResumed(ctx, s.Events())
	a.files.resume(all.Turns)
	for _, e := range lost {
		_ = a.rec.emit(e)
	}
	if len(earlier) > 0 {
		a.o.Delegates.List(event.Ref{})
	}
}

// keepSettings causes a session without a prompt to be saved, if KeepSettings is set.
func (a *Agent) keepSettings() {
	if a.o.Permissions.KeepSettings {
		a.rec.do(func() { a.rec.begun = true })
	}
}

// load loads the session into c, unless that is done. It reads the events that
// openSession did not replay, which may take a second.
func (a *Agent) load(ctx context.Context, c *turn.Conversation) error {
	if c.Loaded {
		return nil
	}
	f, from := a.resume.replay, a.resume.count
	if f == nil {
		f, from = session.NewReplay(), 0
	}
	a.resume.replay = nil
	to, first := a.rec.count(), a.resume.pending
	err := a.replay(ctx, f, from, to)
	if err == nil {
		a.rec.do(func() { err = a.catchUp(ctx, c, f, to) })
	}
	if err != nil {
		return fmt.Errorf("read the session: %w", err)
	}
	if first && f.Prefix != nil && f.Prefix.WebSearch {
		a.wantSearch()
	}
	return nil
}

// replay adds to f the events with the numbers from (inclusive) to to (exclusive).
func (a *Agent) replay(ctx context.Context, f *session.Replay, from, to int) error {
	for s, err := range a.rec.events(ctx, from, to, event.Decode) {
		if err != nil {
			return err
		}
		f.Add(s.Event)
	}
	return nil
}

// catchUp replays the events recorded after the first n, such as the end of a typed
// command, and loads the session into c. It runs in the recorder's goroutine, so
// that no event is recorded meanwhile.
func (a *Agent) catchUp(ctx context.Context, c *turn.Conversation, f *session.Replay, n int) error {
	if err := a.replay(ctx, f, n, a.rec.count()); err != nil {
		return err
	}
	f.Abandon() // after a crashed turn
	a.rec.loadTyped(f.Typed.UnsentOutputs)
	c.Load(f.Prefix, f.Messages, f.Marks, f.Steps, f.Meter, f.Readings)
	a.prompts.situations = f.Situation
	if a.resume.pending {
		a.inbox.moved, a.resume.pending = lastDir(f.Messages), false
	}
	a.models.loaded(address{f.Model, f.BaseURL})
	a.permissions.load(f.Standing)
	return nil
}

// lastDir returns the directory in which the next command would run after msgs; empty
// if it is the working directory. Only results of shell count: other text, such as a
// fetched page, may imitate them.
func lastDir(msgs []llm.Message) (dir string) {
	commands := map[string]bool{} // IDs of calls
	for _, m := range msgs {
		switch {
		case m.Kind == llm.ToolCall && m.Name == "shell":
			commands[m.ID] = true
		case m.Kind == llm.ToolResult && commands[m.ID]:
			dir = cmp.Or(tools.NextDir(m.Text), dir)
		}
	}
	if dir == "." {
		return ""
	}
	return dir
}

// rewind removes all but the first cmd.Keep events from the conversation c. No turn may
// be running. It does not change files.
func (a *Agent) rewind(ctx context.Context, c *turn.Conversation, cmd event.Rewind) {
	events, err := a.lightEvents(ctx)
	if err != nil {
		a.rec.answer(cmd.Ref, "Cannot rewind: "+err.Error())
		return
	}
	keep := session.Boundary(events, cmd.Keep)
	if keep == len(events) {
		a.rec.answer(cmd.Ref, "Nothing to rewind.")
		return
	}
	modeSet := slices.ContainsFunc(events[keep:], func(e event.Durable) bool { _, ok := e.(*event.ModeSet); return ok })
	_ = a.rec.emit(&event.Rewound{Meta: a.rec.meta(), Ref: cmd.Ref, Keep: keep})
	c.Loaded, a.resume.replay = false, nil
	if err := a.load(ctx, c); err != nil {
		a.rec.notify(err.Error()) // the next prompt tries again
	}
	if modeSet { // keep the mode that the user set last
		a.permissions.setMode(event.Ref{}, a.permissions.Mode())
	}
}

// lightEvents returns the events of the session so far, without large fields.
func (a *Agent) lightEvents(ctx context.Context) (all []event.Durable, err error) {
	for s, err := range a.rec.events(ctx, 0, a.rec.count(), session.DecodeLight) {
		if err != nil {
			return nil, err
		}
		all = append(all, s.Event)
	}
	return all, nil
}

// Page returns the events of the session with the numbers from (inclusive) to to
// (exclusive). Any goroutine may call it after event.Opened.
func (a *Agent) Page(from, to int) (all []event.Event, err error) {
	for s, err := range a.rec.events(context.Background(), from, to, event.Decode) {
		if err != nil {
			return nil, err
		}
		all = append(all, s.Event)
	}
	return all, nil
}
