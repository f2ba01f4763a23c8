package loop

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// past is where the events of a session are, by their numbers. It is changed by
// who holds the agent's log, and read by anyone: whoever takes events may ask
// for a page while the agent waits to hand it the next one.
type past struct {
	mu   sync.Mutex
	all  page
	lost error // why the session cannot be read
}

// page is where some events in a row are: in the log, or among the records that
// wait for it. Where there is no log, all of them wait.
type page struct {
	// at is where an event begins in the log. Below 0 it is, inverted, the
	// number of its record among all that ever waited.
	at      []int64
	waiting [][]byte // records that the log could not take yet
	took    int      // how many that waited before those
}

// begin takes over where the events of a session are, or why that is not known.
func (p *past) begin(at []int64, lost error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all.at, p.lost = at, lost
}

// add takes an event and its record, which waits from now on.
func (p *past) add(e event.Durable, record []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := &p.all
	number := int64(all.took + len(all.waiting))
	all.waiting = append(all.waiting, record)
	switch e := e.(type) {
	case *event.Partial:
	case *event.Rewound:
		all.at = all.at[:min(e.Keep, len(all.at))]
	default:
		all.at = append(all.at, ^number)
	}
}

// next returns the record that has waited longest, and how many wait.
func (p *past) next() ([]byte, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all.waiting) == 0 {
		return nil, 0
	}
	return p.all.waiting[0], len(p.all.waiting)
}

// saved says where the log put the record that had waited longest.
func (p *past) saved(offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := &p.all
	for i := len(all.at) - 1; i >= 0 && all.at[i] < 0; i-- { // those that wait are the last
		if all.at[i] == ^int64(all.took) {
			all.at[i] = offset
			break
		}
	}
	all.waiting[0] = nil
	all.waiting = all.waiting[1:]
	all.took++
}

// count returns how many events there are.
func (p *past) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.all.at)
}

// page returns where the events are from number from up to, and without, to.
func (p *past) page(from, to int) (page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost != nil {
		return page{}, p.lost
	}
	if from < 0 || from > to || to > len(p.all.at) {
		return page{}, fmt.Errorf("there is no page from %d to %d in a session of %d events", from, to, len(p.all.at))
	}
	return page{slices.Clone(p.all.at[from:to]), slices.Clone(p.all.waiting), p.all.took}, nil
}

// records yields the records of a page. Each lasts until the next one; an error
// comes last.
func (p page) records(log *history.Log) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		inLog := len(p.at)
		for inLog > 0 && p.at[inLog-1] < 0 {
			inLog--
		}
		if inLog > 0 {
			v, err := log.View()
			if err != nil {
				yield(nil, err)
				return
			}
			defer v.Close()
			for record, err := range recordsAt(v, p.at[:inLog]) {
				if !yield(record, err) || err != nil {
					return
				}
			}
		}
		for _, number := range p.at[inLog:] {
			if !yield(p.waiting[int(^number)-p.took], nil) {
				return
			}
		}
	}
}

// recordsAt yields the records of a log that begin at those places, which
// ascend.
func recordsAt(v *history.View, at []int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if len(at) == 0 {
			return
		}
		for r, err := range v.Pass(at[0]) {
			if errors.As(err, new(history.Problem)) {
				continue
			}
			if err == nil && r.Offset < at[0] {
				continue // taken back, or no event
			}
			if err == nil && r.Offset > at[0] {
				break
			}
			if !yield(r.Body, err) || err != nil {
				return
			}
			if at = at[1:]; len(at) == 0 {
				return
			}
		}
		yield(nil, fmt.Errorf("the session has no record at offset %d any more", at[0]))
	}
}

// Page returns the events of the session from number from up to, and without,
// number to. It may be called by any goroutine, once the session is Surveyed.
func (a *Agent) Page(from, to int) ([]event.Event, error) {
	p, err := a.past.page(from, to)
	if err != nil {
		return nil, err
	}
	var events []event.Event
	for record, err := range p.records(a.o.Log) {
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
