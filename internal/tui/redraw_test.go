package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/screen"
)

// The redraw key clears the screen in every view, for example after another program
// wrote to the terminal.
func TestRedraw(t *testing.T) {
	for name, keys := range map[string][]string{"prompt": nil, "list": {"ctrl+p"}, "pager": {"ctrl+g"}, "search": {"ctrl+f"}} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.press(keys...)
		_, cmd := d.m.Update(keyPress("ctrl+l"))
		if !clears(cmd) {
			t.Errorf("%s: the screen is not redrawn", name)
		}
	}
}

// clears reports whether cmd, or a command of its batch, clears the screen.
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
