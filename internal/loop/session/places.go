package session

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// Places holds where the events of a session are, by their numbers. It is changed by
// who holds the agent's log, and read by anyone: whoever takes events may ask
// for a page while the agent waits to hand it the next one.
type Places struct {
	mu   sync.Mutex
	all  Page
	lost error // why the session cannot be read
}

// Page is where some consecutive events are: in the log, or among the records that
// wait for it. Where there is no log, all of them wait.
type Page struct {
	// at is where an event begins in the log. Below 0 it is, inverted, the
	// number of its record among all that ever waited.
	at      []int64
	waiting [][]byte // records that the log could not take yet
	took    int      // how many that waited before those
}

// Begin takes over where the events of a session are, or why that is not known.
func (p *Places) Begin(at []int64, lost error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all.at, p.lost = at, lost
}

// Add takes an event and its record, which waits from now on.
func (p *Places) Add(e event.Durable, record []byte) {
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

// Next returns the record that has waited longest, and how many wait.
func (p *Places) Next() ([]byte, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all.waiting) == 0 {
		return nil, 0
	}
	return p.all.waiting[0], len(p.all.waiting)
}

// Saved says where the log put the record that had waited longest.
func (p *Places) Saved(offset int64) {
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

// Count returns how many events there are.
func (p *Places) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.all.at)
}

// Page returns where the events are from number from up to, and without, to.
func (p *Places) Page(from, to int) (Page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost != nil {
		return Page{}, p.lost
	}
	if from < 0 || from > to || to > len(p.all.at) {
		return Page{}, fmt.Errorf("there is no page from %d to %d in a session of %d events", from, to, len(p.all.at))
	}
	return Page{slices.Clone(p.all.at[from:to]), slices.Clone(p.all.waiting), p.all.took}, nil
}

// Records yields the records of a page. Each lasts until the next one; an error
// comes last.
func (p Page) Records(ctx context.Context, log *history.Log) iter.Seq2[[]byte, error] {
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
			for record, err := range recordsAt(ctx, v, p.at[:inLog]) {
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
func recordsAt(ctx context.Context, v *history.View, at []int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if len(at) == 0 {
			return
		}
		for r, err := range validRecords(ctx, v, at[0]) {
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
