package loop

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tools"
)

// syncWithin is how long a loss of power may destroy what is in the log.
const syncWithin = time.Second

// recorder appends durable events to the log and then forwards them, in their
// order, to the front end. One goroutine does both; what it owns is reached from
// others by emit and do. Between start and stop its methods may be called by any
// goroutine.
type recorder struct {
	log    *history.Log // nil keeps no session
	now    func() time.Time
	places session.Places // guards itself

	work    chan func()
	stopped chan struct{}
	done    sync.WaitGroup

	// Owned by the goroutine.
	front  chan<- event.Event
	gone   <-chan struct{} // closed when the front end takes no more events
	begun  bool            // the session is worth keeping
	spoken bool            // the session has a prompt
	ended  func()          // called before a TurnEnd is forwarded
	typed  session.Typed   // commands that the user typed
	draft  unsent
	timer  *time.Timer // until records are synced; nil if all are
	late   error       // of the last delayed sync, until emit returns it
}

// newRecorder returns a recorder. It calls ended before it forwards a TurnEnd.
func newRecorder(o Options, ended func()) *recorder {
	return &recorder{log: o.Log, now: o.Now, draft: unsent{draft: o.Draft}, ended: ended, work: make(chan func()), stopped: make(chan struct{})}
}

// start starts the goroutine, which sends to events until gone is closed.
func (r *recorder) start(events chan<- event.Event, gone <-chan struct{}) {
	r.front, r.gone = events, gone
	r.done.Go(func() {
		for {
			select {
			case f := <-r.work:
				f()
			case <-r.stopped:
				return
			}
		}
	})
}

// stop waits for the goroutine to end. Nothing may be emitted any more. Records that
// are not synced yet are left to the owner of the log.
func (r *recorder) stop() {
	close(r.stopped)
	r.done.Wait()
	if r.timer != nil {
		r.timer.Stop()
	}
}

// do runs f in the goroutine and waits for it. f must not call emit or do. After
// stop it does nothing.
func (r *recorder) do(f func()) {
	done := make(chan struct{})
	if r.hand(func() { defer close(done); f() }) {
		<-done
	}
}

// emit appends a durable event to the log, forwards it after that, and returns
// once the front end has it: an interrupt that the front end sent before it saw
// a tool_start keeps the tool from running. The error is the log's: what it could
// not take is appended with a later event. A preview is forwarded without waiting
// for it.
func (r *recorder) emit(e event.Event) (err error) {
	d, ok := e.(event.Durable)
	if !ok {
		r.hand(func() { r.forward(e) })
		return nil
	}
	r.do(func() {
		err = r.save(d)
		r.typed.Take(d)
		switch d := d.(type) {
		case *event.UserSaid:
			if !d.Auto && err == nil {
				r.draft.sent(d.Text)
				r.saveDraft()
			}
		case *event.TurnEnd:
			r.ended()
		}
		r.forward(e)
	})
	return err
}

// notify emits a notice.
func (r *recorder) notify(text string) { _ = r.emit(event.Notice{Text: text}) }

// meta is that of an event that happens now.
func (r *recorder) meta() event.Meta { return event.Meta{Time: r.now()} }

// header returns the header of the log, empty without one.
func (r *recorder) header() history.Header {
	if r.log == nil {
		return history.Header{}
	}
	return r.log.Header()
}

// hasPrompt reports whether the session has a prompt.
func (r *recorder) hasPrompt() (yes bool) {
	r.do(func() { yes = r.spoken })
	return yes
}

// events yields the events of the session from number from up to, and without,
// number to, as decode reads them; an error comes last. It may be called by any
// goroutine.
func (r *recorder) events(ctx context.Context, from, to int, decode func([]byte) (event.Durable, error)) iter.Seq2[event.Durable, error] {
	return func(yield func(event.Durable, error) bool) {
		p, err := r.places.Page(from, to)
		if err != nil {
			yield(nil, err)
			return
		}
		for record, err := range p.Records(ctx, r.log) {
			var e event.Durable
			if err == nil {
				e, err = decode(record)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// hand gives the goroutine something to do, without waiting until it is done. It
// reports whether the goroutine took it: not after stop.
func (r *recorder) hand(f func()) bool {
	select {
	case r.work <- f:
		return true
	case <-r.stopped:
		return false
	}
}

// forward sends e to the front end, if there still is one.
func (r *recorder) forward(e event.Event) {
	select {
	case r.front <- e:
	case <-r.gone:
	}
}

// save appends d to the log, after the records that the log could not take
// before.
func (r *recorder) save(d event.Durable) error {
	switch d.(type) {
	case *event.UserSaid:
		r.begun, r.spoken = true, true
	case *event.ShellStart:
		r.begun = true
	}
	if _, partial := d.(*event.Partial); partial && r.log == nil {
		return nil // the finished message replaces it
	}
	record, err := event.Encode(d)
	if err != nil {
		return err
	}
	r.places.Add(d, record)
	if !r.begun || r.log == nil {
		return nil // a session in which nothing was said or done is not kept
	}
	defer r.syncSoon()
	if err := r.late; err != nil {
		r.late = nil
		return fmt.Errorf("write session: %w", err)
	}
	for record, left := r.places.Next(); left > 0; record, left = r.places.Next() {
		if err := r.log.Append(record, left == 1 && synced(d)); err != nil {
			return fmt.Errorf("write session: %w", err)
		}
		r.places.Saved(r.log.Last())
	}
	return nil
}

// saveDraft saves what the user has not sent yet. It shows its first error only:
// no turn depends on the draft. It runs in the goroutine.
func (r *recorder) saveDraft() {
	if r.log == nil {
		return
	}
	if err := r.draft.save(r.log.SaveDraft); err != nil {
		r.forward(event.Notice{Text: "What is not sent yet is not kept: " + err.Error()})
	}
}

// giveBack returns prompts to the front end that the model did not get.
func (r *recorder) giveBack(ps ...event.Prompt) {
	for _, p := range ps {
		r.do(func() { r.draft.giveBack(p) })
		_ = r.emit(event.Unsent{Text: p.Text})
	}
}

// synced reports whether d must survive a loss of power from now on. Other
// events are synced within syncWithin.
func synced(d event.Durable) bool {
	switch d := d.(type) {
	case *event.MessageDone, *event.StepEnd: // a tool_start or the turn's end follows
		return false
	case *event.ToolStart: // a call that only reads can be repeated
		return d.Effect != string(tools.Read)
	}
	return true
}

// syncSoon syncs within syncWithin what the log holds unsynced, unless a later
// record is synced first: the next one may take long, as an approval can.
func (r *recorder) syncSoon() {
	switch {
	case !r.log.Unsynced():
		if r.timer != nil {
			r.timer.Stop()
			r.timer = nil
		}
	case r.timer == nil:
		r.timer = time.AfterFunc(syncWithin, func() { r.do(r.syncNow) })
	}
}

// syncNow syncs the log, unless the timer was stopped meanwhile.
func (r *recorder) syncNow() {
	if r.timer != nil {
		r.timer, r.late = nil, r.log.Sync()
	}
}

// loadTyped takes over the typed commands of a resumed session whose output the
// model has yet to get, except one that is running now. It runs in the goroutine.
func (r *recorder) loadTyped(untold []*event.ShellEnd) {
	running := r.typed.Open
	r.typed = session.Typed{Open: running}
	for _, end := range untold {
		if !slices.ContainsFunc(running, func(o *event.ShellStart) bool { return o.ID == end.ID }) {
			r.typed.Untold = append(r.typed.Untold, end)
		}
	}
}
