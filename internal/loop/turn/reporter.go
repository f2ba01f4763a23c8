package turn

import "agent/internal/loop/event"

// reporter emits the events of a turn and remembers whether the log took them.
type reporter struct {
	send  func(event.Event) error
	clock Clock
	err   error // the first error of the log, after which no tool runs
}

// emit hands an event on. It is not safe for concurrent use; see preview.
func (r *reporter) emit(e event.Event) { r.fail(r.send(e)) }

// preview hands on an event that no log holds. It is safe for concurrent use if
// send is.
func (r *reporter) preview(e event.Event) { _ = r.send(e) }

// fail keeps the first error of the log.
func (r *reporter) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// meta is that of an event that happens now.
func (r *reporter) meta() event.Meta { return event.Meta{Time: r.clock.Now()} }
