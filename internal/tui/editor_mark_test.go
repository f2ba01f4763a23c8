package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

func TestSelectionWithKeys(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"shift+left shift+left X", "one two\nthrX"},
		{"shift+left shift+left backspace", "one two\nthr"},
		{"shift+left shift+left delete X", "one two\nthrX"},
		{"ctrl+shift+left ctrl+w home ctrl+y", "one two\nthree"},
		{"ctrl+shift+left alt+w X ctrl+y", "one two\nXthreethree"},
		{"shift+home X", "one two\nX"},
		{"shift+up X", "one tX"},
		{"shift+up shift+up X", "X"},
		{"alt+< shift+down shift+down X", "X"},
		{"alt+< shift+right shift+end shift+left X", "Xo\nthree"},
		{"shift+left left X", "one two\nthrXee"}, // a move ends the selection
		{"shift+left shift+right X", "one two\nthreeX"},
		{"ctrl+shift+left X Y ctrl+_", "one two\nthree"},
		{"ctrl+w shift+left shift+left ctrl+y", "one twthree"},
		{"shift+left esc X", "one two\nthreXe"},
		{"alt+w X", "one two\nthreeX"}, // nothing is selected
	} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.typeText("one two")
		d.press("ctrl+j")
		d.typeText("three")
		d.press(strings.Fields(c.keys)...)
		if got := d.m.editor.Shown(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.keys, got, c.want)
		}
	}
}

// A selection made with keys can be copied to the clipboard and replaced by a paste.
// Esc clears it without interrupting the turn.
func TestKeySelectionCommands(t *testing.T) {
	got := ""
	d := newDriver(t, 80, 24, screen.Options{Clipboard: screen.Clipboard{Copy: func(text string) (string, error) { got = text; return "wl-copy", nil }}})
	d.events(userSaid("go"))
	d.typeText("one two")
	d.press("ctrl+shift+left", "alt+w")
	if got != "two" {
		t.Errorf("copied %q", got)
	}
	d.shows("copied 1 line")
	d.press("shift+end")
	d.send(tea.PasteMsg{Content: "three"})
	d.promptIs("one three")
	d.press("shift+left")
	d.shows("ctrl+c to interrupt")
	d.press("esc")
	d.wantCommands()
	d.press("esc")
	d.wantCommands(event.Interrupt{})
	d.advance(time.Second)
}
