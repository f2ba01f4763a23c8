package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
	"agent/internal/tui/terminal"
)

func TestTokens(t *testing.T) {
	long, other := strings.Repeat("line of text\n", 312), strings.Repeat("another line\n", 312)
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("a ")
	d.send(tea.PasteMsg{Content: long})
	d.send(tea.PasteMsg{Content: other})
	d.promptIs("a [pasted 312 lines][pasted 312 lines, no. 2]")
	d.press("left", "backspace")
	d.promptIs("a [pasted 312 lines, no. 2]")
	d.press("ctrl+_")
	d.promptIs("a [pasted 312 lines][pasted 312 lines, no. 2]")
	d.press("enter")
	d.wantCommands(event.Prompt{Text: strings.TrimSpace("a " + long + other)})
	d.events(userSaid(strings.TrimSpace("a " + long + other)))
	d.press("up") // the tokens are restored
	d.promptIs("a [pasted 312 lines][pasted 312 lines, no. 2]")
	d.press("end", "left", "alt+o")
	d.promptIs("a " + long + "[pasted 312 lines, no. 2]")
	d.press("ctrl+_")
	d.promptIs("a [pasted 312 lines][pasted 312 lines, no. 2]")
}

// The characters that represent tokens internally can also be pasted.
func TestTokenCharacters(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	text := "a\U00100000b\U0010fffdc\U00100001"
	d.send(tea.PasteMsg{Content: text})
	d.shows(`a\U00100000b`)
	d.press("enter")
	d.wantCommands(event.Prompt{Text: text})
}

func TestDraftKeepsTokens(t *testing.T) {
	long := strings.Repeat("line of text\n", 312)
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("see ")
	d.send(tea.PasteMsg{Content: long})
	d.typeText(" and say")
	d.advance(2 * time.Second)
	again := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Draft: d.savedDrafts[len(d.savedDrafts)-1]}})
	again.promptIs("see [pasted 312 lines] and say")
	again.press("enter")
	again.wantCommands(event.Prompt{Text: "see " + long + " and say"})
	damaged := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Draft: event.Draft{Text: "short", Pasted: []event.Span{{From: -3, To: 400}, {From: 4, To: 2}}}}})
	damaged.promptIs("short")
}

// An unsent message that returns to the prompt keeps its tokens, as does the draft.
func TestUnsentMessageKeepsTokens(t *testing.T) {
	long, other := strings.Repeat("line of text\n", 312), strings.Repeat("another\n", 412)
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"))
	d.send(tea.PasteMsg{Content: long})
	d.typeText(" and")
	d.press("enter")
	d.send(tea.PasteMsg{Content: other})
	d.events(turnEnd(event.UserInterrupt, 0), event.Unsent{Text: long + " and"})
	d.promptIs("[pasted 312 lines] and\n[pasted 412 lines]")
}

// A paste that ended in Enter sends the prompt, but answers no dialog and runs no command.
func TestPasteEnter(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.send(terminal.PasteEnter{Content: "one\rtwo"})
	d.wantCommands(event.Prompt{Text: "one\ntwo"})
	for _, command := range []string{"!touch x\rls", " /mode all\rls"} {
		d = newDriver(t, 80, 24, screen.Options{})
		d.send(terminal.PasteEnter{Content: command})
		d.wantCommands()
		d.shows("ls")
	}
	d = newDriver(t, 80, 24, screen.Options{})
	d.typeText("!")
	d.send(terminal.PasteEnter{Content: "touch x\rls"})
	d.wantCommands()
}
