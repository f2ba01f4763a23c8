package session

import (
	"context"
	"maps"
	"slices"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/plan"
	"agent/internal/loop/window"
)

// Index holds the events of a log without their long contents, and the offset of
// each record.
type Index struct {
	collection         // of light events
	at         []int64 // offset of each event in the log
	problems   []string
	used       event.Budget // steps, tokens, cost and time of all turns, rewound ones included
	unpriced   int          // steps whose price is unknown
	replay     *Replay      // of the first events, with their full contents
	replayed   int          // number of events in replay
	size       int          // approximate size of the conversation in replay, in bytes
}

// maxReplayed is the size of a conversation, in bytes, at which an Index stops replaying.
// It is larger than any context window. Without the limit, opening a huge session
// would take twice the memory.
const maxReplayed = 8 << 20

func newIndex() *Index {
	return &Index{collection: newCollection(), replay: NewReplay(), used: event.Budget{}}
}

// ReadIndex reads and replays a whole log. It skips damaged records and reports them
// in Opened.
func ReadIndex(ctx context.Context, v *history.View) (*Index, error) {
	s := newIndex()
	s.log = v
	damaged := func(p history.Problem) { s.problems = append(s.problems, p.Text) }
	for e, err := range Events(Undamaged(ctx, v.Pass(0), damaged), event.Decode) {
		if err != nil {
			return nil, err
		}
		s.addToReplay(e.Event, e.Size)
		s.addAt(light(e.Event), e.Offset)
	}
	return s, nil
}

// addToReplay adds the next event, whose record has size bytes, to the replay.
func (s *Index) addToReplay(e event.Durable, size int) {
	switch e.(type) {
	case *event.Partial:
		return
	case *event.Rewound: // it may remove anything
		s.replay, s.replayed, s.size = NewReplay(), 0, maxReplayed
		return
	}
	if s.size >= maxReplayed {
		return
	}
	s.replay.Add(e)
	s.replayed++
	s.size += size
	if _, ok := e.(*event.Compacted); ok {
		s.size = 4 * window.Tokens(s.replay.Messages)
	}
}

// Replay returns the replay of the first events of the session, and their number.
func (s *Index) Replay() (*Replay, int) { return s.replay, s.replayed }

// addAt adds an event with the offset of its record.
func (s *Index) addAt(e event.Durable, offset int64) {
	s.count(e)
	s.add(e)
	if len(s.events) > len(s.at) {
		s.at = append(s.at, offset)
	}
	s.at = s.at[:len(s.events)]
}

// count counts the steps, tokens, cost and time of an event.
func (s *Index) count(e event.Durable) {
	switch e := e.(type) {
	case *event.StepEnd:
		s.used[event.LimitSteps]++
		s.spend(e.Usage, e.Cost)
	case *event.Compacted:
		if e.Usage != (llm.Usage{}) {
			s.spend(e.Usage, e.Cost)
		}
	case *event.Renamed:
		if e.Usage != (llm.Usage{}) {
			s.spend(e.Usage, e.Cost)
		}
	case *event.DelegateEnd: // its session has the steps
		s.used[event.LimitSteps] += float64(e.Steps)
		if e.Usage != (llm.Usage{}) {
			s.spend(e.Usage, e.Cost)
		}
	case *event.TurnEnd:
		s.used[event.LimitTime] += e.Duration.Seconds()
	}
}

// spend counts the usage and cost of a reply.
func (s *Index) spend(u llm.Usage, cost *float64) {
	s.used[event.LimitTokens] += float64(u.Total())
	if cost == nil {
		s.unpriced++
		return
	}
	s.used[event.LimitCost] += *cost
}

// Used returns the steps, tokens, cost and time of all turns and of the missing events,
// and the number of steps whose price is unknown. Delegates that have ended count, each
// as one step without a price if a price is unknown; the time that they took in the
// background does not.
func (s *Index) Used(missing ...event.Durable) (used event.Budget, unpriced int) {
	all := Index{used: maps.Clone(s.used), unpriced: s.unpriced}
	for _, e := range missing {
		all.count(e)
	}
	return all.used, all.unpriced
}

// Closing returns the missing events of the last turn: see State.Closing.
func (s *Index) Closing() []event.Durable {
	last := collection{partial: s.partial, order: s.order, last: s.last, delegates: s.delegates}
	from := s.turnBefore(len(s.events))
	last.events, last.rewound = s.events[from:len(s.events):len(s.events)], s.rewound-from
	return last.replay().Closing
}

// Lost returns the missing events of what ran in the background when the program
// exited: the ends of typed commands and of delegates, and the messages that tell the
// model about the delegates. They follow closing, which Closing returned.
func (s *Index) Lost(closing []event.Durable) []event.Durable {
	g := s.collection
	g.events = slices.Concat(s.events, closing)
	return g.lost()
}

// Delegates returns the delegates by ID, all as ended, also those that a rewind removed.
func (s *Index) Delegates() []event.Delegate { return s.delegates.list(s.last) }

// turnBefore returns the number of the last event before n that begins a turn; 0 if
// there is none.
func (s *Index) turnBefore(n int) int {
	for n--; n > 0; n-- {
		if beginsTurn(s.events[n]) {
			return n
		}
	}
	return 0
}

// Opened returns the description of the session, with the events closing after
// it, which count in its cost.
func (s *Index) Opened(closing []event.Durable) event.Opened {
	used, _ := s.Used(closing...)
	out := event.Opened{Events: len(s.events) + len(closing), Bounds: []int{0}, Title: s.title, Cost: used[event.LimitCost], Problems: s.problems}
	bound := func(at int) {
		if at > 0 && at < out.Events && at != out.Bounds[len(out.Bounds)-1] {
			out.Bounds = append(out.Bounds, at)
		}
	}
	var changes event.ChangeCount
	turn := -1 // index of the last prompt that began a turn
	for i, e := range s.events {
		if changes.Add(e) && turn >= 0 {
			out.Prompts[turn].Changes = changes.Sum()
		}
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
				changes, turn = event.ChangeCount{}, len(out.Prompts)-1
			}
		case *event.StepEnd:
			bound(i + 1)
		case *event.ModelSet:
			out.Model, out.Effort, out.BaseURL, out.Host = e.Model, e.Effort, e.BaseURL, e.Host
		case *event.ModeSet:
			out.Mode = e.Mode
		case *event.TodoSet:
			out.Todo = e.Items
		case *event.PlanSet:
			if e.State == event.PlanApproved {
				out.Mode, out.Todo = e.Mode, plan.Todo(e.Plan)
				out.Plan = e
			}
		}
	}
	return out
}

// beginsTurn reports whether e is the prompt that begins a turn.
func beginsTurn(e event.Durable) bool {
	said, ok := e.(*event.UserSaid)
	return ok && !said.Steered
}

// isNote reports whether e is a note of the program to the model, which does not begin
// a turn.
func isNote(e *event.UserSaid) bool { return e.Steered && e.Auto }

// tail reads the last turns of the session, with at least least events.
func (s *Index) tail(ctx context.Context, v *history.View, least int) (collection, error) {
	from := s.turnBefore(min(len(s.events)-least+1, len(s.events)))
	g := collection{partial: s.partial, order: s.order, last: s.last, title: s.title, rewound: s.rewound - from, delegates: s.delegates}
	for e, err := range Events(recordsAt(ctx, v, s.at[from:]), event.Decode) {
		if err != nil {
			return g, err
		}
		g.events = append(g.events, e.Event)
	}
	return g, nil
}

// model returns the last ModelSet of the session; an empty one if it has none.
func (s *Index) model() *event.ModelSet {
	opened := s.Opened(nil)
	return &event.ModelSet{Model: opened.Model, Effort: opened.Effort, BaseURL: opened.BaseURL, Host: opened.Host}
}

// Offsets returns the offset of each event in the log. The slice belongs to s.
func (s *Index) Offsets() []int64 { return s.at }

// Events returns the events without their long contents. The slice belongs to s.
func (s *Index) Events() []event.Durable { return s.events }
