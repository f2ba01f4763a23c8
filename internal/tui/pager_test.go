package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// The pager shows the transcript without truncation. After closing it, the screen is
// unchanged.
func TestPager(t *testing.T) {
	lines := func(word string, n int) string { return strings.Repeat(word+"\n", n) + "last of the " + word }
	all := []event.Event{userSaid(lines("prompt", 40)), done(llm.Thinking, "r", lines("thought", 40)), call("r", "1", "read"), call("r", "2", "read"),
		start("1", "read a.go", "read", file("a.go")), start("2", "read b.go", "read", file("b.go")),
		result("1", "read a.go", "read", event.OK, "", lines("output", 2500), time.Second), result("2", "read b.go", "read", event.OK, "", lines("other", 10), time.Second),
		&event.StepEnd{Reply: "r"}, done(llm.Assistant, "r2", "All read."), turnEnd(event.Done, time.Second)}
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{Session: screen.Session{History: all}})
		before := d.screen()
		d.press("ctrl+g")
		d.golden("transcript-" + size)
		for _, word := range []string{"prompt", "thought", "output", "other"} {
			d.press("/")
			d.typeText("last of the " + word)
			d.press("enter")
			d.shows("last of the "+word, "1 of 1")
			d.press("esc")
		}
		d.press("g")
		d.shows("agent 0.1")
		d.press("space", "space", "b", "j", "j", "k", "G")
		d.shows("All read.")
		d.press("/")
		d.typeText("prompt")
		d.press("enter", "N", "N", "n") // n searches down, as in less
		d.golden("transcript-find-" + size)
		d.press("esc", "G", "x", "y", "tab", "q")
		if got := d.screen(); got != before {
			t.Errorf("the screen changed from\n%s\nto\n%s", before, got)
		}
		d.wantCommands()
	})
}

// A dialog that opens behind the pager is announced and takes no keys until the pager is
// closed.
func TestDialogBehindThePager(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("/view")
	d.press("enter")
	d.events(asked()...)
	d.shows("a question waits")
	d.press("y", "n", "a")
	d.wantCommands()
	d.send(tea.WindowSizeMsg{Width: 40, Height: 2})
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.press("q")
	d.press("1") // too early
	d.wantCommands()
	d.armDialog()
	d.press("1", "enter")
	d.wantCommands(event.Answer{ID: "5", Decision: event.Allow})
}
