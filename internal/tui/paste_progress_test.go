package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/screen"
	"agent/internal/tui/terminal"
)

// Slow, incomplete and oversized pastes are reported.
func TestPasteProgress(t *testing.T) {
	const progress = "pasting, 3.1M bytes so far · ctrl+c cancel"
	d := newDriver(t, 80, 24, screen.Options{})
	d.send(terminal.Pasting{Bytes: 3_100_000})
	d.shows(progress)
	d.send(tea.PasteMsg{Content: "all"})
	d.promptIs("all")
	if strings.Contains(d.screen(), progress) {
		t.Errorf("the progress is still shown after the paste:\n%s", d.screen())
	}
	d.send(terminal.PasteCut{})
	d.shows("the paste was incomplete: the text received is inserted")
	d.send(terminal.Pasting{Bytes: 3_100_000})
	d.send(terminal.PasteTooLarge{Bytes: 40_000_000})
	d.shows("A paste of 40M bytes was rejected: the limit is 32 MiB.")
	d.promptIs("all")
}
