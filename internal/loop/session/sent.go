package session

import (
	"fmt"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// Sent holds the parts of a step's request, and its reply.
type Sent struct {
	Step     int             // number of the step, from 1
	Steps    int             // number of all steps
	Prefix   *event.Prefix   // nil in old logs
	Messages []llm.Message   // of the conversation
	Model    event.ModelSet  // that answered; with an unknown address if it was a fallback
	End      *event.StepEnd  // its reply
	Notes    []event.Durable // compactions since the step before
}

// SentAt returns the parts of a step's request; step 0 is the last one.
// events are those of a State.
func SentAt(events []event.Durable, step int) (Sent, error) {
	var ends []int
	for i, e := range events {
		if _, ok := e.(*event.StepEnd); ok {
			ends = append(ends, i)
		}
	}
	switch {
	case len(ends) == 0:
		return Sent{}, fmt.Errorf("no request of this session has an answer yet")
	case step == 0:
		step = len(ends)
	case step < 0 || step > len(ends):
		return Sent{}, fmt.Errorf("there is no step %d: the session has steps 1 to %d", step, len(ends))
	}
	from, to := 0, ends[step-1]
	if step > 1 {
		from = ends[step-2] + 1
	}
	s := Sent{Step: step, Steps: len(ends), End: events[to].(*event.StepEnd)}
	f := NewReplay()
	for i, e := range events[:to] {
		if m, ok := e.(*event.MessageDone); ok && i >= from && m.Message.Reply == s.End.Reply {
			break // the reply
		}
		if _, ok := e.(*event.Compacted); ok && i >= from {
			s.Notes = append(s.Notes, e)
		}
		f.Add(e)
	}
	s.Prefix, s.Messages = f.Prefix, f.Messages
	s.Model = event.ModelSet{Model: s.End.Model}
	if f.Model == s.End.Model {
		s.Model.Effort, s.Model.BaseURL, s.Model.Host = f.Effort, f.BaseURL, f.Host
	}
	return s, nil
}
