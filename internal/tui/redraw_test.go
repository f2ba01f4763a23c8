package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/screen"
)

// Whatever is shown is drawn anew when the person wants that: another program
// may have written over it.
func TestRedraw(t *testing.T) {
	for name, keys := range map[string][]string{"at rest": nil, "in a list": {"ctrl+p"}, "uncut": {"ctrl+g"}, "in a search": {"ctrl+f"}} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.press(keys...)
		_, cmd := d.m.Update(keyPress("ctrl+l"))
		if !clears(cmd) {
			t.Errorf("%s nothing is drawn anew", name)
		}
	}
}

// clears reports whether cmd, or one of those that it is made of, clears the
// screen.
func clears(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			if clears(c) {
				return true
			}
		}
		return false
	default:
		return msg == tea.ClearScreen()
	}
}
