package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// Several pasted commands are not run as one. Negations and here documents are.
func TestSeveralShellCommands(t *testing.T) {
	for draft, want := range map[string][]event.Command{
		"!make\n!make test":       nil,
		"!make\nls\n  !!date":     nil,
		"!make\nls":               {event.RunShell{Line: "make\nls", Join: true}},
		"!make ||\n! test -e a":   {event.RunShell{Line: "make ||\n! test -e a", Join: true}},
		"!cat <<E\n!important\nE": {event.RunShell{Line: "cat <<E\n!important\nE", Join: true}},
	} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.send(tea.PasteMsg{Content: draft})
		d.press("enter")
		if want == nil {
			d.shows("begins with ! too", "› !make")
		}
		d.wantCommands(want...)
	}
}

// The same notice is not repeated.
func TestNoticeIsNotRepeated(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(event.Notice{Text: "Undo cancelled."}, event.Notice{Text: "Undo cancelled."}, event.Notice{Text: "Another."})
	d.golden("notice-not-repeated")
}
