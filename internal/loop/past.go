package loop

import "agent/internal/loop/event"

// Page returns the events of the session from number from up to, and without,
// number to. It may be called by any goroutine after event.Opened.
func (a *Agent) Page(from, to int) ([]event.Event, error) {
	p, err := a.rec.places.Page(from, to)
	if err != nil {
		return nil, err
	}
	var events []event.Event
	for record, err := range p.Records(a.o.Log) {
		if err != nil {
			return nil, err
		}
		e, err := event.Decode(record)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}
