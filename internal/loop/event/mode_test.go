package event_test

import (
	"testing"

	"agent/internal/loop/event"
)

// ParseMode accepts the names of modes, and the other names that users can write. Mode auto is
// stored under its older name.
func TestModeNames(t *testing.T) {
	for s, want := range map[string]event.Mode{
		"ask": event.ModeAsk, "auto": event.ModeAuto, "edits": event.ModeAuto, "auto-edit": event.ModeAuto, "plan": event.ModePlan, "all": event.ModeAll, "approve-all": event.ModeAll,
	} {
		if got, err := event.ParseMode(s); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", s, got, err, want)
		}
	}
	for m, want := range map[event.Mode]string{event.ModeAsk: "ask", "edits": "auto", event.ModePlan: "plan", event.ModeAll: "all", "": "", "none": "none"} {
		if got := m.Name(); got != want {
			t.Errorf("%q has the name %q, want %q", m, got, want)
		}
	}
	if m, err := event.ParseMode("none"); err == nil {
		t.Errorf("got mode %q for an unknown name", m)
	}
}
