package tui

import (
	"testing"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
)

// autoWouldAllow marks the questions of events as those about calls that mode auto would allow.
func autoWouldAllow(events []event.Event) []event.Event {
	for i, e := range events {
		if a, ok := e.(event.Asked); ok {
			a.Ask.Auto = true
			events[i] = a
		}
	}
	return events
}

// In mode ask, the dialog of a call that mode auto would allow names the key that sets this
// mode. The key answers nothing, and sets mode ask again.
func TestDialogOffersModeAuto(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		for name, evs := range map[string][]event.Event{"edit": asked(), "command": {userSaid("go"), askCommand("5", "make")}} {
			d := newDriver(t, w, h, screen.Options{Session: screen.Session{Mode: "ask"}})
			d.events(autoWouldAllow(evs)...)
			d.hides("auto mode")
			d.armDialog()
			d.golden("ask-auto-" + name + "-" + size)
			d.press("shift+tab")
			d.wantCommands(event.SetMode{Mode: event.ModeAuto})
			d.shows("mode auto from the next call on")
			d.golden("ask-auto-" + name + "-set-" + size)
			d.press("up", "shift+tab", "1")
			d.wantCommands(event.SetMode{Mode: event.ModeAuto}, event.SetMode{Mode: event.ModeAsk}, event.Answer{ID: "5", Decision: event.Allow})
		}
	})
}

// The key sets no mode before the dialog takes keys, while a sentence is typed, in a comment or
// in the review, in another mode, and for a call that mode auto would not allow.
func TestDialogKeepsTheMode(t *testing.T) {
	for name, c := range map[string]struct {
		mode string
		auto bool
		keys []string
	}{
		"too early":        {"ask", true, []string{"shift+tab"}},
		"a sentence":       {"ask", true, []string{"a", "n", "d", "pause", "shift+tab"}},
		"a comment":        {"ask", true, []string{"pause", "w", "h", "y", "shift+tab"}},
		"the review":       {"ask", true, []string{"pause", "tab", "shift+tab"}},
		"mode plan":        {"plan", true, []string{"pause", "shift+tab"}},
		"not in mode auto": {"ask", false, []string{"pause", "shift+tab"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriver(t, 120, 40, screen.Options{Session: screen.Session{Mode: c.mode}})
			evs := asked()
			if c.auto {
				evs = autoWouldAllow(evs)
			}
			d.events(evs...)
			for _, k := range c.keys {
				if k == "pause" {
					d.advance(dialog.Quiet)
					continue
				}
				d.press(k)
			}
			d.hides("shift+tab auto mode")
			d.wantCommands()
		})
	}
}
