package loop

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
)

// syncWithin is the longest time that a logged event may stay unsynced.
const syncWithin = time.Second

// recorder appends durable events to the log and then forwards them in order to the
// front end. Between start and stop, any goroutine may call its methods.
type recorder struct {
	log   *history.Log // nil if no session is saved
	agent string       // ID of the delegate whose session this is; empty for a main agent
	now   func() time.Time
	// secrets replaces the secrets of all events that are stored, and of the draft.
	secrets Secrets
	offsets session.EventOffsets // safe for concurrent use

	mu        sync.Mutex // guards what follows, also while an event is forwarded
	stopped   bool
	front     chan<- event.Event
	gone      <-chan struct{} // closed when the front end receives no more events
	begun     bool            // the session has content worth saving
	hasPrompt bool            // the session has a prompt
	// firstPrompt is the first message of the user since start.
	firstPrompt string
	ended       func()            // called before a TurnEnd is forwarded
	listen      func(event.Event) // gets every event that is forwarded; may be nil
	title       string            // of the session, if it got one since start
	typed       session.Typed     // commands that the user typed
	draft       unsent
	timer       *time.Timer // until records are synced; nil if all are
	late        error       // of the last delayed sync, until save returns it
}

// newRecorder returns a recorder. It calls ended before it forwards a TurnEnd.
func newRecorder(o Options, ended func()) *recorder {
	r := &recorder{log: o.Log, now: o.Clock.Now, secrets: o.Prompt.Secrets, draft: unsent{draft: o.Draft}, ended: ended, listen: o.Listen}
	if o.Delegate.Parent != nil {
		r.agent = strconv.Itoa(o.Delegate.Label.ID)
	}
	return r
}

// start makes the recorder send events to front until gone is closed.
func (r *recorder) start(front chan<- event.Event, gone <-chan struct{}) {
	r.do(func() { r.front, r.gone = front, gone })
}

// stop makes all methods do nothing from now on. The owner of the log syncs the remaining
// records.
func (r *recorder) stop() {
	r.do(func() {
		r.stopped = true
		if r.timer != nil {
			r.timer.Stop()
		}
	})
}

// do runs f, which may use the state and must not call emit or do. After stop it does
// nothing.
func (r *recorder) do(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		f()
	}
}

// emit appends a durable event to the log, forwards it, and returns once the front
// end has received it: an interrupt that was sent before a ToolStart arrived keeps
// the tool from running. It returns an error of the log; the record is appended
// with a later event. A preview is only forwarded.
func (r *recorder) emit(e event.Event) error {
	_, err := r.add(e)
	return err
}

// add is emit, and returns the number of a durable event.
func (r *recorder) add(e event.Event) (at int, err error) {
	prompt, _ := e.(*event.UserSaid) // the draft still has its secrets
	e = r.secrets.Event(e)
	d, ok := e.(event.Durable)
	if !ok {
		r.do(func() { r.forward(e) })
		return 0, nil
	}
	r.do(func() {
		at = r.offsets.Count()
		err = r.save(d)
		r.typed.Take(d)
		switch d := d.(type) {
		case *event.UserSaid:
			if !d.Auto && err == nil {
				r.draft.sent(prompt.Text)
				r.saveDraft()
			}
		case *event.TurnEnd:
			r.ended()
		}
		r.forward(e)
	})
	return at, err
}

// notify emits a notice.
func (r *recorder) notify(text string) { r.answer(event.Ref{}, text) }

// answer emits a notice that answers a command.
func (r *recorder) answer(to event.Ref, text string) { _ = r.emit(event.Notice{Ref: to, Text: text}) }

// meta returns the Meta of an event that happens now.
func (r *recorder) meta() event.Meta { return event.Meta{Time: r.now()} }

// header returns the header of the log; empty without a log.
func (r *recorder) header() history.Header {
	if r.log == nil {
		return history.Header{}
	}
	return r.log.Header()
}

// begin sets the events that the session has: those at the offsets in the log, and
// closing, which are not written yet. err is set if the log cannot be read.
func (r *recorder) begin(offsets []int64, closing []event.Durable, err error) {
	r.do(func() {
		r.offsets.Begin(offsets, err)
		if err != nil {
			return
		}
		r.begun = len(offsets) > 0
		r.hasPrompt = r.begun
		for _, e := range closing {
			if record, err := event.Encode(e); err == nil {
				r.offsets.Add(e, record)
			}
		}
	})
}

// count returns the number of events of the session. Any goroutine may call it.
func (r *recorder) count() int { return r.offsets.Count() }

// prompted reports whether the session has a prompt.
func (r *recorder) prompted() (yes bool) {
	r.do(func() { yes = r.hasPrompt })
	return yes
}

// events yields the events of the session with the numbers from (inclusive) to to
// (exclusive), as decode reads them. Any goroutine may call it.
func (r *recorder) events(ctx context.Context, from, to int, decode session.Decoder) iter.Seq2[session.Stored, error] {
	return session.Events(r.offsets.Records(ctx, r.log, from, to), decode)
}

// forward sends e to the listener, and to the front end if there still is one.
func (r *recorder) forward(e event.Event) {
	if r.listen != nil {
		r.listen(e)
	}
	select {
	case r.front <- e:
	case <-r.gone:
	}
}

// save appends d to the log, after the records that could not be written earlier.
func (r *recorder) save(d event.Durable) error {
	if r.agent != "" {
		event.MetaOf(d).Agent = r.agent
	}
	switch d := d.(type) {
	case *event.UserSaid:
		r.begun, r.hasPrompt = true, true
		if !d.Auto && r.firstPrompt == "" {
			r.firstPrompt = d.Text
		}
	case *event.Renamed:
		if d.Model != "" && (r.title != "" || d.Title == "") { // only its cost counts
			d.Title = r.title
		}
		r.title = d.Title
	case *event.ShellStart:
		r.begun = true
	case *event.DelegateStart:
		r.begun = true
		if d.Call == "" { // the user's prompt
			r.hasPrompt = true
		}
	}
	if _, partial := d.(*event.Partial); partial && r.log == nil {
		return nil // the finished message replaces it
	}
	record, err := event.Encode(d)
	if err != nil {
		return err
	}
	r.offsets.Add(d, record)
	if !r.begun || r.log == nil {
		return nil // an empty session is not saved
	}
	defer r.syncSoon()
	if err := r.late; err != nil {
		r.late = nil
		return fmt.Errorf("write the session: %w", err)
	}
	for record, left := r.offsets.Next(); left > 0; record, left = r.offsets.Next() {
		if err := r.log.Append(record, left == 1 && synced(d)); err != nil {
			return fmt.Errorf("write the session: %w", err)
		}
		r.offsets.Saved(r.log.Last())
	}
	return nil
}

// saveDraft saves the unsent messages of the user. It shows only the first error,
// because no turn depends on the draft. The caller holds mu.
func (r *recorder) saveDraft() {
	if r.log == nil {
		return
	}
	if err := r.draft.save(r.log.SaveDraft, r.secrets); err != nil {
		r.forward(event.Notice{Text: "The draft cannot be saved: " + err.Error()})
	}
}

// setDraft saves the draft of the front end.
func (r *recorder) setDraft(d event.Draft) {
	r.do(func() {
		r.draft.draft = d
		r.saveDraft()
	})
}

// wait saves a prompt that the model receives with its next step.
func (r *recorder) wait(p event.Prompt) {
	r.do(func() {
		r.draft.wait(p)
		r.saveDraft()
	})
}

// unsentOutputs returns the finished typed commands whose output the model has not received.
func (r *recorder) unsentOutputs() (all []*event.ShellEnd) {
	r.do(func() { all = slices.Clone(r.typed.UnsentOutputs) })
	return all
}

// giveBack returns prompts that the model did not receive to the front end.
func (r *recorder) giveBack(ps ...event.Prompt) {
	for _, p := range ps {
		r.do(func() { r.draft.giveBack(p) })
		_ = r.emit(event.Unsent{Text: p.Text})
	}
}

// synced reports whether d must be on disk before the program continues. Other
// events are synced within syncWithin.
func synced(d event.Durable) bool {
	switch d := d.(type) {
	case *event.MessageDone, *event.StepEnd: // a tool_start or the turn's end follows
		return false
	case *event.ToolStart: // a read-only call can be repeated
		return d.Effect != event.ReadEffect
	}
	return true
}

// syncSoon schedules a sync of the log within syncWithin, or cancels it if a later
// record has synced the log.
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

// syncNow syncs the log, unless the timer has been stopped.
func (r *recorder) syncNow() {
	if r.timer != nil {
		r.timer, r.late = nil, r.log.Sync()
	}
}

// loadTyped replaces the pending typed commands with those of a resumed session,
// except commands that are running now. The caller holds mu.
func (r *recorder) loadTyped(unsentOutputs []*event.ShellEnd) {
	running := r.typed.Open
	r.typed = session.Typed{Open: running}
	for _, end := range unsentOutputs {
		if !slices.ContainsFunc(running, func(o *event.ShellStart) bool { return o.ID == end.ID }) {
			r.typed.UnsentOutputs = append(r.typed.UnsentOutputs, end)
		}
	}
}
