package session

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// Stored is an event of a log.
type Stored struct {
	Event  event.Durable
	Offset int64 // of its record in the log
	Size   int   // of its record in bytes
}

// Decoder decodes a record: event.Decode, DecodeLight or the result of Only. The event is
// nil if the record has an unknown type, or one that is not wanted.
type Decoder func(record []byte) (event.Durable, error)

// Only returns a Decoder of the events of some types. Of other records it reads only the
// type.
func Only(types ...event.Durable) Decoder {
	names := map[string]bool{}
	for _, t := range types {
		names[event.NameOf(t)] = true
	}
	return func(record []byte) (event.Durable, error) {
		if name, err := event.NameIn(record); err == nil && !names[name] {
			return nil, nil
		}
		return event.Decode(record)
	}
}

// Events yields the events in records as decode returns them. Errors among the records,
// and records that cannot be decoded, appear as errors; reading continues after them.
func Events(records iter.Seq2[history.Record, error], decode Decoder) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		for r, err := range records {
			s := Stored{Offset: r.Offset, Size: len(r.Body)}
			if err == nil {
				s.Event, err = decode(r.Body)
			}
			if (s.Event != nil || err != nil) && !yield(s, err) {
				return
			}
		}
	}
}

// Undamaged yields records without the damage among them. It passes damage to damaged,
// unless that is nil. Any other error is the last value, also that of ctx.
func Undamaged(ctx context.Context, records iter.Seq2[history.Record, error], damaged func(history.Problem)) iter.Seq2[history.Record, error] {
	return func(yield func(history.Record, error) bool) {
		for r, err := range records {
			if p, ok := errors.AsType[history.Problem](err); ok {
				if damaged != nil {
					damaged(p)
				}
				continue
			}
			if err == nil {
				err = ctx.Err()
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// undamaged yields the undamaged records of a log from an offset on. Each is valid until
// the next one. An error is the last value.
func undamaged(ctx context.Context, v *history.View, from int64) iter.Seq2[history.Record, error] {
	return Undamaged(ctx, v.Pass(from), nil)
}

// ReplayLog is ReplayRecords of the undamaged records of a log. It passes damage to damaged, unless
// that is nil.
func ReplayLog(ctx context.Context, v *history.View, damaged func(history.Problem)) (State, error) {
	return ReplayRecords(Undamaged(ctx, v.Pass(0), damaged))
}

// Found is an event that Search found.
type Found struct {
	ID string // of its session
	Stored
}

// Search yields the events that a query selects, as history.Store.Search does with records.
// A record that cannot be decoded appears as an error with the ID of its session.
func Search(ctx context.Context, store *history.Store, q history.Query) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		for h, err := range store.Search(ctx, q) {
			f := Found{h.ID, Stored{Offset: h.Offset, Size: len(h.Body)}}
			if err == nil {
				if f.Event, err = event.Decode(h.Body); err != nil {
					err = fmt.Errorf("session %s: %w", h.ID, err)
				}
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// Keep returns a history.Query.Keep that selects the events for which keep returns true.
// keep is called from several goroutines, and gets nil for a record of an unknown type.
func Keep(keep func(event.Durable) bool) func(history.Record) bool {
	return func(r history.Record) bool {
		e, err := event.Decode(r.Body)
		return err == nil && keep(e)
	}
}
