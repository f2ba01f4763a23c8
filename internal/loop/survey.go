package loop

import (
	"context"
	"errors"
	"math"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// survey is what one pass over a log finds, which reads of long records no more
// than it must.
type survey struct {
	gathering                      // of light events
	at        []int64              // where each of the events begins in the log
	first     map[partialKey]int64 // where the partials begin of a message that is not finished
	problems  []string
	cost      float64 // of all steps
}

// surveyOf reads a log.
func surveyOf(ctx context.Context, v *history.View) (*survey, error) {
	s := &survey{gathering: newGathering(), first: map[partialKey]int64{}}
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
		e, err := decodeLight(r.Body)
		if err != nil {
			return nil, err
		}
		if e != nil {
			s.addAt(e, r.Offset)
		}
	}
	return s, s.join(v)
}

// addAt takes an event and where it begins.
func (s *survey) addAt(e event.Durable, offset int64) {
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

// join reads what there is of messages that were not finished.
func (s *survey) join(v *history.View) error {
	from := int64(math.MaxInt64)
	for k := range s.partial {
		from = min(from, s.first[k])
	}
	if len(s.partial) == 0 {
		return nil
	}
	for r, err := range v.Pass(from) {
		if errors.As(err, new(history.Problem)) {
			continue
		}
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

// closing returns what the last turn lacks: see State.Closing. That no other
// lacks anything is for gathering and folding to see to.
func (s *survey) closing() []event.Durable {
	last := gathering{partial: s.partial, order: s.order, last: s.last}
	from := s.turnBefore(len(s.events))
	last.events, last.rewound = s.events[from:len(s.events):len(s.events)], s.rewound-from
	return last.folded().Closing
}

// running returns the commands of the person's that ran when the program ended.
func (s *survey) running() []*event.ShellStart {
	var all ran
	for _, e := range s.events {
		all.take(e)
	}
	return all.open
}

// turnBefore returns the number of the last prompt before number n that begins a
// turn, 0 if there is none.
func (s *survey) turnBefore(n int) int {
	for n--; n > 0; n-- {
		if beginsTurn(s.events[n]) {
			return n
		}
	}
	return 0
}

// tell returns what was found, with closing after it.
func (s *survey) tell(closing []event.Durable) event.Opened {
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

// survey finds out where the events are of the session that the agent goes on
// with, and what it lacks, and tells of it.
func (a *Agent) survey(ctx context.Context) {
	if a.o.Log == nil || !a.o.Log.Begun() {
		return
	}
	v, err := a.o.Log.View()
	var s *survey
	if err == nil {
		defer v.Close()
		s, err = surveyOf(ctx, v)
	}
	if err != nil {
		a.past.begin(nil, err)
		_ = a.emit(event.Unreadable{Why: err.Error()})
		return
	}
	closing := s.closing()
	a.log.Lock()
	a.past.begin(s.at, nil)
	a.begun, a.spoken = len(s.at) > 0, len(s.at) > 0
	for _, e := range closing {
		if record, err := event.Encode(e); err == nil {
			a.past.add(e, record)
		}
	}
	a.log.Unlock()
	if all := s.tell(closing); all.Events > 0 || len(all.Problems) > 0 {
		_ = a.emit(all)
	}
	a.listGrants(ctx, s.events)
	for _, start := range s.running() {
		_ = a.emit(lostShell(start, event.Meta{Time: s.last}))
	}
}
