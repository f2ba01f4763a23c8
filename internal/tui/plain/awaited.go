package plain

import (
	"agent/internal/loop/event"
	"agent/internal/tui/transcript"
)

// awaited is what the end of the input waits for, although no turn runs: the ends of the
// delegates in the background, and the turn that gets their answers.
type awaited struct {
	answer bool
	ends   map[int]bool // by ID of the delegate; false if it has ended
}

// took takes an event of the agent.
func (a *awaited) took(ev event.Event) {
	switch ev := ev.(type) {
	case event.DelegatesNow:
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
	return a.answer
}
