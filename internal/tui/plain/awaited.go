package plain

import (
	"agent/internal/loop/event"
	"agent/internal/tui/transcript"
)

// awaited is what the end of the input waits for, although no turn runs: the start of a
// delegate, the ends of those in the background, and the turn that gets their answers.
type awaited struct {
	start, answer bool
	ends          map[int]bool // by ID of the delegate; false if it has ended
}

// sent takes a command to the agent.
func (a *awaited) sent(c event.Command) {
	if _, ok := c.(event.StartDelegate); ok {
		a.start = true
	}
}

// took takes an event of the agent. A notice may say that a delegate was not started.
func (a *awaited) took(ev event.Event) {
	switch ev := ev.(type) {
	case event.Notice:
		a.start = false
	case event.DelegatesNow:
		a.start = false
		for _, d := range ev.Delegates {
			if _, known := a.ends[d.ID]; !known && transcript.InBackground(d) {
				a.ends[d.ID] = true
			}
		}
	case *event.DelegateEnd:
		a.ends[ev.ID] = false
		a.answer = a.answer || ev.Background
	case *event.UserSaid:
		a.answer = a.answer && (!ev.Auto || ev.Situation)
	case *event.TurnEnd: // only a turn that is done is followed by another one
		a.answer = a.answer && ev.Reason == event.Done
	}
}

// any reports whether something is awaited.
func (a *awaited) any() bool {
	for _, runs := range a.ends {
		if runs {
			return true
		}
	}
	return a.start || a.answer
}
