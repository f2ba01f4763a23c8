package session

import (
	"iter"
	"slices"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
)

// replay applies the events of g and completes the last turn. It does not complete
// typed commands, which belong to no turn.
func (g collection) replay() *Replay {
	f := NewReplay()
	f.all = g
	for i, e := range g.events {
		f.Add(e)
		if i+1 == g.rewound {
			f.turn.open = false // a rewind ends the turn
		}
	}
	f.close()
	return f
}

// collection holds the events of a session without those that a rewind removed.
type collection struct {
	events  []event.Durable               // without partials and Rewound
	partial map[partialKey]*event.Partial // joined texts of unfinished messages
	order   []partialKey
	last    time.Time
	title   string // the last one set by the user, even if removed by a rewind
	rewound int    // number of events that the last Rewound kept
	delegates
}

type partialKey struct {
	reply string
	kind  llm.Kind
}

func newCollection() collection { return collection{partial: map[partialKey]*event.Partial{}} }

func keyOf(p *event.Partial) partialKey { return partialKey{p.Reply, p.Kind} }

func collect(records iter.Seq2[history.Record, error]) (collection, error) {
	g := newCollection()
	for s, err := range Events(records, event.Decode) {
		if err != nil {
			return g, err
		}
		g.add(s.Event)
	}
	return g, nil
}

func (g *collection) add(e event.Durable) {
	g.last = event.MetaOf(e).Time
	g.delegates.add(e)
	switch e := e.(type) {
	case *event.Partial:
		g.addPartial(e)
		return
	case *event.Rewound:
		g.cut(Boundary(g.events, e.Keep))
		return
	case *event.UserSaid:
		if !e.Steered {
			g.forget() // unfinished messages here mean a damaged log
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

func (g *collection) addPartial(p *event.Partial) {
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

// cut removes all but the first keep events, and unfinished messages.
func (g *collection) cut(keep int) {
	clear(g.events[keep:])
	g.events, g.rewound = g.events[:keep], keep
	g.forget()
}

// forget drops unfinished messages.
func (g *collection) forget() {
	g.order = nil
	clear(g.partial)
}

// Boundary reduces keep, a number of events, to the nearest number after which a
// session can continue: outside a turn, before the prompt that begins one, or between
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
				clear(open) // open calls here mean a damaged log
			}
			inTurn = inTurn || !isNote(e)
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
