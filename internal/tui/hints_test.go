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

// The last line names the key that helps only where it does what is said.
func TestHintIsTrueOfTheDraft(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.sees("? help")
	for typed, want := range map[string]string{
		"fix it":      "enter to send",
		"!make test":  "enter to run it",
		"!!make test": "enter to run it",
		"/rename x":   "enter to run it",
		`one\`:        "enter for a new line",
	} {
		d.enter(typed)
		d.press("left", "right")
		d.lacks("? help")
		d.sees(want)
		d.press("ctrl+c")
		d.sees("? help")
	}
	d.enter(" ")
	d.lacks("? help", "to send")
	d.press("ctrl+c", "ctrl+f")
	d.sees("enter previous · down next · esc to close")
	d.press("?")
	d.lacks("? help")
	d.sees("search  ?")
	d.press("esc")
	d.sees("? help")

	d.events(userSaid("go"), done(llm.Assistant, "r", "It is"), &event.TurnEnd{Reason: event.OutOfTokens, Cut: true})
	d.sees("enter to continue · ? help")
	d.enter("x")
	d.lacks("enter to continue")
	d.sees("enter to send")
}

// A draft that has no room says how much of it is out of sight, and on which
// side.
func TestLongDraftSaysWhatIsHidden(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		for i := range 14 {
			if i > 0 {
				d.press("ctrl+j")
			}
			d.enter(fmt.Sprint("line ", i+1))
		}
		room := min(h/3, editor.MaxLines)
		d.sees(fmt.Sprint(14-room, " lines above"), "↑ line "+fmt.Sprint(15-room))
		d.lacks("↓")
		for range room {
			d.press("up")
		}
		d.sees(fmt.Sprintf("%s above, %d below", phrase.Count(13-room, "line"), 1), "↑ line", "↓ line 13")
		d.golden("draft-long-" + size)
		for range 14 {
			d.press("up")
		}
		d.sees("› line 1", fmt.Sprint(14-room, " lines below"), "↓ line "+fmt.Sprint(room))
		d.lacks("↑")
		d.send(keyPress("ctrl+c"))
		d.lacks("↓", "below")
	})
	ascii := newDriver(t, 80, 24, screen.Options{Appearance: screen.Appearance{ASCII: true}})
	ascii.send(keyPress("a"))
	for range 9 {
		ascii.press("ctrl+j", "a")
	}
	if !strings.Contains(ascii.screen(), "\n^ a\n") {
		t.Errorf("there is no mark:\n%s", ascii.screen())
	}
}
