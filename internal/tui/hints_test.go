package tui

import (
	"fmt"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/screen"
)

// The hint in the status line fits the text in the prompt.
func TestHintMatchesTheDraft(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.shows("? help")
	for typed, want := range map[string]string{
		"fix it":      "enter to send",
		"!make test":  "enter to run it",
		"!!make test": "enter to run it",
		"/rename x":   "enter to run it",
		"/deploy":     "unknown command",
		`one\`:        "enter for a new line",
	} {
		d.typeText(typed)
		d.press("left", "right")
		d.hides("? help")
		d.shows(want)
		d.press("ctrl+c")
		d.shows("? help")
	}
	d.typeText(" ")
	d.hides("? help", "to send")
	d.press("ctrl+c", "ctrl+f")
	d.shows("enter previous · down next · esc to close")
	d.press("?")
	d.hides("? help")
	d.shows("search  ?")
	d.press("esc")
	d.shows("? help")

	d.events(userSaid("go"), done(llm.Assistant, "r", "It is"), &event.TurnEnd{Reason: event.OutOfTokens, Cut: true})
	d.shows("enter to continue · ? help")
	d.typeText("x")
	d.hides("enter to continue")
	d.shows("enter to send")
}

// A draft that is too long for the editor shows how many lines are hidden above and
// below.
func TestLongDraftShowsHiddenLines(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		for i := range 14 {
			if i > 0 {
				d.press("ctrl+j")
			}
			d.typeText(fmt.Sprint("line ", i+1))
		}
		room := min(h/3, editor.MaxLines)
		d.shows(fmt.Sprint(14-room, " lines above"), "↑ line "+fmt.Sprint(15-room))
		d.hides("↓")
		for range room {
			d.press("up")
		}
		d.shows(fmt.Sprintf("%s above, %d below", phrase.Count(13-room, "line"), 1), "↑ line", "↓ line 13")
		d.golden("draft-long-" + size)
		for range 14 {
			d.press("up")
		}
		d.shows("› line 1", fmt.Sprint(14-room, " lines below"), "↓ line "+fmt.Sprint(room))
		d.hides("↑")
		d.send(keyPress("ctrl+c"))
		d.hides("↓", "below")
	})
	ascii := newDriver(t, 80, 24, screen.Options{Appearance: screen.Appearance{ASCII: true}})
	ascii.send(keyPress("a"))
	for range 9 {
		ascii.press("ctrl+j", "a")
	}
	if !strings.Contains(ascii.screen(), "\n^ a\n") {
		t.Errorf("the mark for hidden lines is missing:\n%s", ascii.screen())
	}
}
