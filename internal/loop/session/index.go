package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// Index is what one pass over a log finds: its events without their long
// contents, and where each of them begins.
type Index struct {
	gathering                      // of light events
	at        []int64              // where each of the events begins in the log
	first     map[partialKey]int64 // where the partials begin of a message that is not finished
	problems  []string
	cost      float64 // of all steps
}

// ReadIndex reads a log from its beginning to its end. Damaged records are
// skipped and reported in Opened.
func ReadIndex(ctx context.Context, v *history.View) (*Index, error) {
	s := &Index{gathering: newGathering(), first: map[partialKey]int64{}}
	for r, err := range v.Pass(0) {
		if err != nil {
			var p history.Problem
			if !errors.As(err, &p) {
				return nil, err
			}
			s.problems = append(s.problems, p.Text)
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, err := DecodeLight(r.Body)
		if err != nil {
			return nil, err
		}
		if e != nil {
			s.addAt(e, r.Offset)
		}
	}
	return s, s.join(ctx, v)
}

// addAt takes an event and where it begins.
func (s *Index) addAt(e event.Durable, offset int64) {
	switch e := e.(type) {
	case *event.Partial:
		if k := keyOf(e); s.partial[k] == nil {
			s.first[k] = offset
		}
	case *event.StepEnd:
		if e.Cost != nil {
			s.cost += *e.Cost
		}
	}
	s.add(e)
	if len(s.events) > len(s.at) {
		s.at = append(s.at, offset)
	}
	s.at = s.at[:len(s.events)]
}

// join reads the text of messages that were not finished.
func (s *Index) join(ctx context.Context, v *history.View) error {
	from := int64(math.MaxInt64)
	for k := range s.partial {
		from = min(from, s.first[k])
	}
	if len(s.partial) == 0 {
		return nil
	}
	for r, err := range validRecords(ctx, v, from) {
		if err != nil {
			return err
		}
		if typ, err := event.NameIn(r.Body); err != nil || typ != "partial" {
			continue
		}
		e, err := event.Decode(r.Body)
		if err != nil {
			return err
		}
		p := e.(*event.Partial)
		if k := keyOf(p); s.partial[k] != nil && r.Offset >= s.first[k] {
			s.partial[k].Text += p.Text
		}
	}
	return nil
}

// Closing returns what the last turn lacks: see State.Closing. That no other
// lacks anything is for gathering and folding to see to.
func (s *Index) Closing() []event.Durable {
	last := gathering{partial: s.partial, order: s.order, last: s.last}
	from := s.turnBefore(len(s.events))
	last.events, last.rewound = s.events[from:len(s.events):len(s.events)], s.rewound-from
	return last.folded().Closing
}

// Running returns the typed commands that ran when the program exited.
func (s *Index) Running() []*event.ShellStart {
	var all Typed
	for _, e := range s.events {
		all.Take(e)
	}
	return all.Open
}

// turnBefore returns the number of the last prompt before number n that begins a
// turn, 0 if there is none.
func (s *Index) turnBefore(n int) int {
	for n--; n > 0; n-- {
		if beginsTurn(s.events[n]) {
			return n
		}
	}
	return 0
}

// Opened returns the description of the session, with the events closing after
// it.
func (s *Index) Opened(closing []event.Durable) event.Opened {
	out := event.Opened{Events: len(s.events) + len(closing), Bounds: []int{0}, Title: s.title, Cost: s.cost, Problems: s.problems}
	bound := func(at int) {
		if at > 0 && at < out.Events && at != out.Bounds[len(out.Bounds)-1] {
			out.Bounds = append(out.Bounds, at)
		}
	}
	for i, e := range s.events {
		switch e := e.(type) {
		case *event.UserSaid:
			if beginsTurn(e) {
				bound(i)
			}
			if e.Auto {
				continue
			}
			out.Prompts = append(out.Prompts, event.PastPrompt{Text: e.Text, Time: e.Time, At: i, Steered: e.Steered})
			if !e.Steered {
				out.Turns++
			}
		case *event.StepEnd:
			bound(i + 1)
		case *event.ModelSet:
			out.Model, out.Effort, out.BaseURL, out.Host = e.Model, e.Effort, e.BaseURL, e.Host
		case *event.ModeSet:
			out.Mode = e.Mode
		case *event.TodoSet:
			out.Todo = e.Items
		}
	}
	return out
}

// beginsTurn reports whether e is the prompt that begins a turn.
func beginsTurn(e event.Durable) bool {
	said, ok := e.(*event.UserSaid)
	return ok && !said.Steered
}

// tail gathers the end of the indexed session.
func (s *Index) tail(v *history.View, least int) (gathering, error) {
	from := s.turnBefore(min(len(s.events)-least+1, len(s.events)))
	g := gathering{partial: s.partial, order: s.order, last: s.last, title: s.title, rewound: s.rewound - from}
	for record, err := range recordsAt(v, s.at[from:]) {
		if err != nil {
			return g, err
		}
		e, err := event.Decode(record)
		if err != nil {
			return g, fmt.Errorf("read the end of the session: %w", err)
		}
		g.events = append(g.events, e)
	}
	return g, nil
}

// model returns the last ModelSet of the session; an empty one if it has none.
func (s *Index) model() *event.ModelSet {
	told := s.Opened(nil)
	return &event.ModelSet{Model: told.Model, Effort: told.Effort, BaseURL: told.BaseURL, Host: told.Host}
}

// Offsets returns where each of the events begins in the log. They belong to s.
func (s *Index) Offsets() []int64 { return s.at }

// Events returns the events without what may be long. They belong to s.
func (s *Index) Events() []event.Durable { return s.events }

// Last returns the time of the last record.
func (s *Index) Last() time.Time { return s.last }
