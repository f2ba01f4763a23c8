package screen

import (
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

// Spent is the usage of one model.
type Spent struct {
	Model    string // PROVIDER/NAME
	Steps    int
	Usage    llm.Usage
	Cost     float64 // US dollars
	Unpriced int     // steps without a known price
}

// Add adds a step.
func (s *Spent) Add(step *event.StepEnd) {
	s.Steps++
	s.Usage = s.Usage.Add(step.Usage)
	if step.Cost == nil {
		s.Unpriced++
		return
	}
	s.Cost += *step.Cost
}

// spentBy adds a step to the usage of its model. Models are in the order of their
// first step.
func spentBy(all []Spent, step *event.StepEnd) []Spent {
	i := slices.IndexFunc(all, func(s Spent) bool { return s.Model == step.Model })
	if i < 0 {
		i, all = len(all), append(all, Spent{Model: step.Model})
	}
	all[i].Add(step)
	return all
}

// addSpent adds the usage of a model.
func addSpent(all []Spent, more Spent) []Spent {
	i := slices.IndexFunc(all, func(s Spent) bool { return s.Model == more.Model })
	if i < 0 {
		return append(all, more)
	}
	all[i] = all[i].Plus(more)
	return all
}

// Plus returns s with the usage of more.
func (s Spent) Plus(more Spent) Spent {
	s.Steps, s.Usage, s.Cost, s.Unpriced = s.Steps+more.Steps, s.Usage.Add(more.Usage), s.Cost+more.Cost, s.Unpriced+more.Unpriced
	return s
}

// spentByDelegate returns the usage of a delegate with that model.
func spentByDelegate(end *event.DelegateEnd, model string) Spent {
	s := Spent{Model: model, Steps: end.Steps, Usage: end.Usage}
	if end.Cost == nil {
		s.Unpriced = end.Steps
	} else {
		s.Cost = *end.Cost
	}
	return s
}

// Spending is the usage by model: of the current or last turn, and since the screen
// was opened.
type Spending struct {
	Turn, All []Spent
	streamed  int            // bytes of the streamed reply
	delegates map[int]string // the models of the delegates, by ID
}

// Take adds the usage of an event.
func (s *Spending) Take(ev event.Event) {
	switch ev := ev.(type) {
	case *event.UserSaid:
		if !ev.Steered && !ev.Auto {
			s.Turn = nil
		}
	case event.Streamed:
		s.streamed += StreamedBytes(ev.Delta)
	case event.Retrying:
		s.streamed = 0
	case *event.StepEnd, *event.Compacted:
		s.streamed = 0
		if step := stepOf(ev); step != nil {
			s.Turn, s.All = spentBy(s.Turn, step), spentBy(s.All, step)
		}
	case *event.DelegateStart:
		if s.delegates == nil {
			s.delegates = map[int]string{}
		}
		s.delegates[ev.ID] = ev.Model
	case *event.DelegateEnd:
		if ev.Steps > 0 {
			spent := spentByDelegate(ev, s.delegates[ev.ID])
			s.All = addSpent(s.All, spent)
			if !ev.Background {
				s.Turn = addSpent(s.Turn, spent)
			}
		}
	case *event.Renamed: // in parallel to the turns
		if step := stepOf(ev); step != nil {
			s.All = spentBy(s.All, step)
		}
	}
}

// stepOf returns the step whose usage ev reports, nil if there is none. A summary of
// the conversation and a title count as steps of their models.
func stepOf(ev event.Event) *event.StepEnd {
	switch ev := ev.(type) {
	case *event.StepEnd:
		return ev
	case *event.Compacted:
		if ev.Model != "" {
			return &event.StepEnd{Model: ev.Model, Usage: ev.Usage, Cost: ev.Cost}
		}
	case *event.Renamed:
		if ev.Model != "" {
			return &event.StepEnd{Model: ev.Model, Usage: ev.Usage, Cost: ev.Cost}
		}
	}
	return nil
}

// StreamedBytes returns the number of bytes that the model wrote in a delta.
func StreamedBytes(d llm.Delta) int {
	switch d := d.(type) {
	case llm.TextDelta:
		return len(d.Text)
	case llm.ThinkingDelta:
		return len(d.Text)
	case llm.CallDelta:
		return len(d.Args)
	}
	return 0
}

// TurnOutput returns the output tokens of this turn. Those of the streamed reply are
// estimated.
func (s *Spending) TurnOutput() int {
	const bytesPerToken = 4
	n := s.streamed / bytesPerToken
	for _, spent := range s.Turn {
		n += spent.Usage.Output
	}
	return n
}

// Words describes the usage in one line.
func (s Spent) Words() string {
	in := phrase.Thousands(s.Usage.Input) + " input"
	if s.Usage.Cached > 0 {
		in += " (" + phrase.Thousands(s.Usage.Cached) + " cached)"
	}
	words := []string{in + " and " + phrase.Thousands(s.Usage.Output) + " output tokens", phrase.Count(s.Steps, "step")}
	if n := s.Usage.Searches; n > 0 {
		words = append(words, phrase.Count(n, "web search"))
	}
	switch {
	case s.Unpriced == s.Steps:
		words = append(words, "price unknown")
	case s.Unpriced > 0:
		words = append(words, "at least "+phrase.Dollars(s.Cost))
	default:
		words = append(words, phrase.Dollars(s.Cost))
	}
	return strings.Join(words, ", ")
}
