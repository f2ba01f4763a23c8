package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

func TestTokens(t *testing.T) {
	long, other := strings.Repeat("line of text\n", 312), strings.Repeat("another line\n", 312)
	d := newDriver(t, 80, 24, screen.Options{})
	d.enter("a ")
	d.send(tea.PasteMsg{Content: long})
	d.send(tea.PasteMsg{Content: other})
	d.holds("a [pasted 312 lines][pasted 312 lines, no. 2]")
	d.press("left", "backspace")
	d.holds("a [pasted 312 lines, no. 2]")
	d.press("ctrl+_")
	d.holds("a [pasted 312 lines][pasted 312 lines, no. 2]")
	d.press("enter")
	d.commands(event.Prompt{Text: strings.TrimSpace("a " + long + other)})
	d.events(userSaid(strings.TrimSpace("a " + long + other)))
	d.press("up") // the tokens come back
	d.holds("a [pasted 312 lines][pasted 312 lines, no. 2]")
	d.press("end", "left", "alt+o")
	d.holds("a " + long + "[pasted 312 lines, no. 2]")
	d.press("ctrl+_")
	d.holds("a [pasted 312 lines][pasted 312 lines, no. 2]")
}

// The characters that stand for tokens can be typed as well.
func TestTokenCharacters(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	text := "a\U00100000b\U0010fffdc\U00100001"
	d.send(tea.PasteMsg{Content: text})
	d.shows(`a\U00100000b`)
	d.press("enter")
	d.commands(event.Prompt{Text: text})
}

func TestDraftKeepsTokens(t *testing.T) {
	long := strings.Repeat("line of text\n", 312)
	d := newDriver(t, 80, 24, screen.Options{})
	d.enter("see ")
	d.send(tea.PasteMsg{Content: long})
	d.enter(" and say")
	d.pass(2 * time.Second)
	again := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Draft: d.kept[len(d.kept)-1]}})
	again.holds("see [pasted 312 lines] and say")
	again.press("enter")
	again.commands(event.Prompt{Text: "see " + long + " and say"})
	damaged := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Draft: event.Draft{Text: "short", Pasted: []event.Span{{From: -3, To: 400}, {From: 4, To: 2}}}}})
	damaged.holds("short")
}

// What comes back unsent, and what is typed by then, have their tokens still.
func TestUnsentTokens(t *testing.T) {
	long, other := strings.Repeat("line of text\n", 312), strings.Repeat("another\n", 412)
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"))
	d.send(tea.PasteMsg{Content: long})
	d.enter(" and")
	d.press("enter")
	d.send(tea.PasteMsg{Content: other})
	d.events(turnEnd(event.UserInterrupt, 0), event.Unsent{Text: long + " and"})
	d.holds("[pasted 312 lines] and\n[pasted 412 lines]")
}
