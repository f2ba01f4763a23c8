package loop

import "agent/internal/loop/event"

// emit puts an event on record, if it is durable, and has it forwarded. The
// error is that of the log.
func (a *Agent) emit(e event.Event) error {
	unkept, err := a.rec.put(e)
	a.tellUnkept(unkept)
	return err
}
