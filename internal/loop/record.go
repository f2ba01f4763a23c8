package loop

import (
	"fmt"

	"agent/internal/loop/event"
	"agent/internal/tools"
)

// emit writes a durable event to the log, then sends e. The error is that of
// the log, which takes what it could not take with a later event.
func (a *Agent) emit(e event.Event) error {
	unkept, err := a.put(e)
	a.tellUnkept(unkept)
	return err
}

// put is emit. What is on record is no draft any more before it is shown: the
// first error says that this could not be kept.
func (a *Agent) put(e event.Event) (unkept, err error) {
	a.log.Lock()
	defer a.log.Unlock()
	if d, ok := e.(event.Durable); ok {
		err = a.save(d)
		a.ran.Take(d)
	}
	if said, ok := e.(*event.UserSaid); ok && !said.Auto && err == nil {
		a.draft.sent(said.Text)
		unkept = a.saveDraft()
	}
	if _, end := e.(*event.TurnEnd); end {
		a.over.Store(true)
	}
	select {
	case a.events <- e:
	case <-a.gone:
	}
	return unkept, err
}

func (a *Agent) save(d event.Durable) error {
	switch d.(type) {
	case *event.UserSaid:
		a.begun, a.spoken = true, true
	case *event.ShellStart:
		a.begun = true
	}
	if _, partial := d.(*event.Partial); partial && a.o.Log == nil {
		return nil // nobody will miss what follows it
	}
	record, err := event.Encode(d)
	if err != nil {
		return err
	}
	a.past.Add(d, record)
	if !a.begun || a.o.Log == nil {
		return nil // no session of which nobody has said or done anything
	}
	defer a.syncSoon()
	if err := a.late.take(); err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	for record, left := a.past.Next(); left > 0; record, left = a.past.Next() {
		if err := a.o.Log.Append(record, left == 1 && synced(d)); err != nil {
			return fmt.Errorf("write session: %w", err)
		}
		a.past.Saved(a.o.Log.Last())
	}
	return nil
}

// synced reports whether d must survive a loss of power from now on.
// What need not is synced soon, see syncSoon.
func synced(d event.Durable) bool {
	switch d := d.(type) {
	case *event.MessageDone, *event.StepEnd: // a tool_start or the turn's end follows
		return false
	case *event.ToolStart: // what only reads can be done again, and mostly ends at once
		return d.Effect != string(tools.Read)
	}
	return true
}
