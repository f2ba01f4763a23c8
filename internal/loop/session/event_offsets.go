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

// EventOffsets maps the numbers of the events of a session to their records. It is safe for
// concurrent use: a front end may read a page while the agent waits to send it an
// event.
type EventOffsets struct {
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
func (o *EventOffsets) Begin(at []int64, lost error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all.at, o.lost = at, lost
}

// Add adds an event and its record, which waits until Saved.
func (o *EventOffsets) Add(e event.Durable, record []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := &o.all
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
func (o *EventOffsets) Next() ([]byte, int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.all.waiting) == 0 {
		return nil, 0
	}
	return o.all.waiting[0], len(o.all.waiting)
}

// Saved sets the offset of the oldest waiting record, which is in the log now.
func (o *EventOffsets) Saved(offset int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := &o.all
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
func (o *EventOffsets) Count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.all.at)
}

// Records yields the records of the events with the numbers from (inclusive) to to
// (exclusive). Each is valid until the next one. An error is the last value.
func (o *EventOffsets) Records(ctx context.Context, log *history.Log, from, to int) iter.Seq2[history.Record, error] {
	return func(yield func(history.Record, error) bool) {
		some, err := o.page(from, to)
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

// page returns the offsets of the events with the numbers from (inclusive) to to (exclusive).
func (o *EventOffsets) page(from, to int) (page, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lost != nil {
		return page{}, o.lost
	}
	if from < 0 || from > to || to > len(o.all.at) {
		return page{}, fmt.Errorf("events %d to %d are not in a session of %d events", from, to, len(o.all.at))
	}
	return page{slices.Clone(o.all.at[from:to]), slices.Clone(o.all.waiting), o.all.took}, nil
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
