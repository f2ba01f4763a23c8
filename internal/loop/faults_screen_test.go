package loop_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// atFirstEnd splits events after the end of the first turn.
func atFirstEnd(events []event.Event) (first, rest []event.Event) {
	for i, e := range events {
		if _, ok := e.(*event.TurnEnd); ok {
			return events[:i+1], events[i+1:]
		}
	}
	return events, nil
}

// generatedID matches generated IDs.
var generatedID = regexp.MustCompile(`\b(c1|call)_[A-Za-z0-9_]{8,}`)

// shownText formats the events that the user sees, one per line.
func shownText(events []event.Event) string {
	var b strings.Builder
	for _, e := range events {
		switch e := e.(type) {
		case *event.TurnEnd:
			fmt.Fprintf(&b, "turn %s%s%s%s\n", e.Reason, mark(e.Cut, " (cut)"), mark(e.Error != "", ": "+e.Error), mark(e.Hint != "", " | "+e.Hint))
		case event.Retrying:
			fmt.Fprintf(&b, "%s: %s%s\n", retrying(e), e.Error, mark(e.Hint != "", " | "+e.Hint))
		case *event.UserSaid:
			if e.Auto {
				b.WriteString(trace([]event.Event{e}))
			}
		default:
			b.WriteString(trace([]event.Event{e}))
		}
	}
	if s := b.String(); !strings.Contains(s, "1_") && !strings.Contains(s, "call_") {
		return s // long ones are many
	}
	return generatedID.ReplaceAllString(b.String(), "${1}_*")
}

// screen holds the streamed text of replies, and lets tests wait for it.
type screen struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{} // closed at the next delta; nil if nothing waits
}

func (s *screen) show(e event.Event) {
	streamed, ok := e.(event.Streamed)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch d := streamed.Delta.(type) {
	case llm.TextDelta:
		s.text.WriteString(d.Text)
	case llm.CallDelta:
		s.text.WriteString(d.Name + d.Args)
	default:
		return
	}
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// until waits for the screen to end with text.
func (s *screen) until(text string) error {
	deadline := time.After(hang)
	for {
		s.mu.Lock()
		all := s.text.String()
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		if strings.HasSuffix(all, text) {
			return nil
		}
		select {
		case <-changed:
		case <-deadline:
			return fmt.Errorf("%q was never shown, only %q", text, all)
		}
	}
}
