package event_test

import (
	"testing"

	"agent/internal/loop/event"
)

// ParseMode accepts the names of modes, and the other names that users can write.
func TestParseMode(t *testing.T) {
	for s, want := range map[string]event.Mode{
		"ask": event.ModeAsk, "edits": event.ModeEdits, "auto-edit": event.ModeEdits, "plan": event.ModePlan, "all": event.ModeAll, "approve-all": event.ModeAll,
	} {
		if got, err := event.ParseMode(s); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", s, got, err, want)
		}
	}
	if m, err := event.ParseMode("none"); err == nil {
		t.Errorf("got mode %q for an unknown name", m)
	}
}
