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

// Places maps the numbers of the events of a session to their records. It is safe for
// concurrent use: a front end may read a page while the agent waits to send it an
// event.
type Places struct {
	mu   sync.Mutex
	all  page
	lost error // why the session cannot be read; nil if it can
}

// page locates consecutive events: by offset in the log, or in records that are not
// in the log yet. Without a log, all are of the second kind.
type page struct {
	// at has the offset of each event in the log, or the bitwise complement of the
	// number of its waiting record, which is negative.
	at      []int64
	waiting [][]byte // records that are not in the log yet
	took    int      // number of the first record in waiting
}

// Begin sets the offsets of the events of a session, or why it cannot be read.
func (p *Places) Begin(at []int64, lost error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all.at, p.lost = at, lost
}

// Add adds an event and its record, which waits until Saved.
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

// Next returns the oldest waiting record, and how many wait.
func (p *Places) Next() ([]byte, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all.waiting) == 0 {
		return nil, 0
	}
	return p.all.waiting[0], len(p.all.waiting)
}

// Saved sets the offset of the oldest waiting record, which is in the log now.
func (p *Places) Saved(offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := &p.all
	for i := len(all.at) - 1; i >= 0 && all.at[i] < 0; i-- { // waiting records are the last ones
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

// Records yields the records of the events with the numbers from (inclusive) to to
// (exclusive). Each is valid until the next one. An error is the last value.
func (p *Places) Records(ctx context.Context, log *history.Log, from, to int) iter.Seq2[history.Record, error] {
	return func(yield func(history.Record, error) bool) {
		some, err := p.page(from, to)
		if err != nil {
			yield(history.Record{}, err)
			return
		}
		inLog := len(some.at)
		for inLog > 0 && some.at[inLog-1] < 0 {
			inLog--
		}
		if inLog > 0 {
			v, err := log.View()
			if err != nil {
				yield(history.Record{}, err)
				return
			}
			defer v.Close()
			for r, err := range recordsAt(ctx, v, some.at[:inLog]) {
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
		for _, number := range some.at[inLog:] {
			if !yield(history.Record{Body: some.waiting[int(^number)-some.took]}, nil) {
				return
			}
		}
	}
}

// page returns the places of the events with the numbers from (inclusive) to to (exclusive).
func (p *Places) page(from, to int) (page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost != nil {
		return page{}, p.lost
	}
	if from < 0 || from > to || to > len(p.all.at) {
		return page{}, fmt.Errorf("events %d to %d are not in a session of %d events", from, to, len(p.all.at))
	}
	return page{slices.Clone(p.all.at[from:to]), slices.Clone(p.all.waiting), p.all.took}, nil
}

// recordsAt yields the records of a log at the given offsets, which are ascending. An
// error is the last value.
func recordsAt(ctx context.Context, v *history.View, at []int64) iter.Seq2[history.Record, error] {
	return func(yield func(history.Record, error) bool) {
		if len(at) == 0 {
			return
		}
		for r, err := range undamaged(ctx, v, at[0]) {
			if err == nil && r.Offset < at[0] {
				continue // removed by a rewind, or not an event
			}
			if err == nil && r.Offset > at[0] {
				break
			}
			if !yield(r, err) || err != nil {
				return
			}
			if at = at[1:]; len(at) == 0 {
				return
			}
		}
		yield(history.Record{}, fmt.Errorf("read the session: no record at offset %d", at[0]))
	}
}
