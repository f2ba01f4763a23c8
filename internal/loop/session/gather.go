package session

import (
	"iter"
	"slices"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
)

// folded is what g amounts to, with what its last turn lacks. Commands of the
// person's that have no end are left as they are: they belong to no turn.
func (g gathering) folded() *Folding {
	f := NewFolding()
	f.gathering = g
	for i, e := range g.events {
		f.Add(e)
		if i+1 == g.rewound {
			f.inTurn = false // whether its turn was over or not: it goes on with something else
		}
	}
	f.close()
	return f
}

// gathering are the events that a session goes on from: all that were recorded
// but those that were taken back.
type gathering struct {
	events  []event.Durable               // without partials and Rewound
	partial map[partialKey]*event.Partial // joined, until the message is finished
	order   []partialKey
	last    time.Time
	title   string // that the person gave it last, taken back or not
	rewound int    // how many events the last Rewound kept
}

type partialKey struct {
	reply string
	kind  llm.Kind
}

func newGathering() gathering { return gathering{partial: map[partialKey]*event.Partial{}} }

func keyOf(p *event.Partial) partialKey { return partialKey{p.Reply, p.Kind} }

func gather(records iter.Seq2[history.Record, error]) (gathering, error) {
	g := newGathering()
	for r, err := range records {
		if err != nil {
			return g, err
		}
		e, err := event.Decode(r.Body)
		if err != nil {
			return g, err
		}
		if e != nil {
			g.add(e)
		}
	}
	return g, nil
}

func (g *gathering) add(e event.Durable) {
	g.last = event.MetaOf(e).Time
	switch e := e.(type) {
	case *event.Partial:
		g.addPartial(e)
		return
	case *event.Rewound:
		g.cut(Boundary(g.events, e.Keep))
		return
	case *event.UserSaid:
		if !e.Steered {
			g.forget() // what is not finished even so is the damage of a log
		}
	case *event.MessageDone:
		k := partialKey{e.Message.Reply, e.Message.Kind}
		if g.partial[k] != nil {
			delete(g.partial, k)
			g.order = slices.DeleteFunc(g.order, func(o partialKey) bool { return o == k })
		}
	case *event.Renamed:
		g.title = e.Title
	}
	g.events = append(g.events, e)
}

func (g *gathering) addPartial(p *event.Partial) {
	k := keyOf(p)
	if have := g.partial[k]; have != nil {
		have.Text += p.Text
		have.Time = p.Time
		return
	}
	c := *p
	g.partial[k] = &c
	g.order = append(g.order, k)
}

// cut takes back all but the first events, and what was not finished.
func (g *gathering) cut(keep int) {
	clear(g.events[keep:])
	g.events, g.rewound = g.events[:keep], keep
	g.forget()
}

// forget drops what was not finished.
func (g *gathering) forget() {
	g.order = nil
	clear(g.partial)
}

// Boundary moves keep, a number of events, back to the nearest place at which a
// session can go on: outside a turn, at the prompt that begins one, or between
// two of its steps.
func Boundary(events []event.Durable, keep int) int {
	keep = min(max(keep, 0), len(events))
	best, open, inTurn := 0, map[string]bool{}, false
	for i, e := range events[:keep] {
		step := false
		switch e := e.(type) {
		case *event.UserSaid:
			if !e.Steered {
				best = i
				clear(open) // what is open even so is the damage of a log
			}
			inTurn = true
		case *event.MessageDone:
			inTurn = true
			if e.Message.Kind == llm.ToolCall {
				open[e.Message.ID] = true
			}
		case *event.ToolEnd:
			delete(open, e.Result.ID)
		case *event.StepEnd:
			step = true
		case *event.TurnEnd:
			inTurn = false
			clear(open)
		}
		if len(open) == 0 && (step || !inTurn) {
			best = i + 1
		}
	}
	if keep < len(events) {
		if said, ok := events[keep].(*event.UserSaid); ok && !said.Steered {
			return keep
		}
	}
	return best
}
