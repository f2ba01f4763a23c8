package loop

import (
	"slices"

	"agent/internal/loop/event"
	"agent/internal/loop/session"
)

// rewind takes back what was said after the first keep events, while no turn
// runs. Files stay as they are: what is to follow them back needs the kept
// events and those that were taken back, both of which are known here.
func (a *Agent) rewind(keep int) {
	events, err := a.lightEvents()
	if err != nil {
		_ = a.emit(event.Notice{Text: "Nothing was taken back: " + err.Error()})
		return
	}
	keep = session.Boundary(events, keep)
	if keep == len(events) {
		_ = a.emit(event.Notice{Text: "There is nothing to take back."})
		return
	}
	asked := slices.ContainsFunc(events[keep:], func(e event.Durable) bool { _, ok := e.(*event.ModeSet); return ok })
	_ = a.emit(&event.Rewound{Meta: event.Meta{Time: a.o.Now()}, Keep: keep})
	a.conv.folded = false
	if err := a.recall(a.conv); err != nil {
		_ = a.emit(event.Notice{Text: err.Error()}) // the next prompt tries again
	}
	if asked { // what is asked about stays as the person set it last
		a.mu.Lock()
		mode := a.policy.Mode
		a.mu.Unlock()
		_ = a.emit(&event.ModeSet{Meta: event.Meta{Time: a.o.Now()}, Mode: string(mode)})
	}
}

// lightEvents returns the events of the session so far, without what is long.
func (a *Agent) lightEvents() ([]event.Durable, error) {
	p, err := a.rec.places.Page(0, a.rec.places.Count())
	if err != nil {
		return nil, err
	}
	var events []event.Durable
	for record, err := range p.Records(a.o.Log) {
		if err != nil {
			return nil, err
		}
		e, err := session.DecodeLight(record)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}
