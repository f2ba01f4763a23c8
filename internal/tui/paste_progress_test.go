package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/screen"
	"agent/internal/tui/terminal"
)

// A paste that takes long, has no end or is too large is told of.
func TestPasteThatGoesOn(t *testing.T) {
	const going = "pasting, 3.1M bytes so far · ctrl+c cancel"
	d := newDriver(t, 80, 24, screen.Options{})
	d.send(terminal.Pasting{Bytes: 3_100_000})
	d.shows(going)
	d.send(tea.PasteMsg{Content: "all"})
	d.promptIs("all")
	if strings.Contains(d.screen(), going) {
		t.Errorf("it is told that the paste goes on:\n%s", d.screen())
	}
	d.send(terminal.PasteCut{})
	d.shows("the paste was incomplete: the text received is inserted")
	d.send(terminal.Pasting{Bytes: 3_100_000})
	d.send(terminal.PasteTooLarge{Bytes: 40_000_000})
	d.shows("A paste of 40M bytes was rejected: the limit is 32 MiB.")
	d.promptIs("all")
}
