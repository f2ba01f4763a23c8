package tui

import (
	"strings"
	"testing"
	"time"

	"agent/internal/loop"
)

func draft(text string, queue ...string) loop.Draft {
	return loop.Draft{Text: text, Queue: queue}
}

func TestDraftIsSaved(t *testing.T) {
	d := newDriver(t, 80, 24, Options{})
	d.enter("one")
	d.pass(500 * time.Millisecond)
	d.enter(" two")
	d.drafts()
	d.pass(time.Second)
	d.drafts(draft("one two"))
	if len(d.timers) != 0 {
		t.Errorf("a clock runs while nothing is to be saved: %v", d.timers)
	}
	d.press("x", "backspace")
	d.pass(2 * time.Second)
	d.drafts(draft("one two")) // it is what was saved
	d.press("ctrl+u")
	d.drafts(draft("one two"), draft(""))
	d.enter("   ")
	d.pass(2 * time.Second)
	d.drafts(draft("one two"), draft(""))
}

// Much text that was pasted is saved whole, and comes back as a token.
func TestDraftOfPastes(t *testing.T) {
	pasted := strings.Repeat("a long line\n", 400)
	d := newDriver(t, 80, 24, Options{Draft: loop.Draft{Text: pasted}})
	if got := d.screen(); !strings.Contains(got, "[pasted 400 lines]") {
		t.Errorf("not a token:\n%s", got)
	}
	d.enter("!")
	d.pass(2 * time.Second)
	d.drafts(loop.Draft{Text: pasted + "!", Pasted: []loop.Span{{To: len(pasted)}}})
}

// What steers a turn is a draft until it is in the conversation.
func TestDraftOfSteering(t *testing.T) {
	d := newDriver(t, 80, 24, Options{})
	d.events(userSaid("go"))
	d.enter("faster")
	d.press("enter")
	d.enter("and")
	d.pass(2 * time.Second)
	d.press("ctrl+u")
	steered := userSaid("faster")
	steered.Steered = true
	d.events(steered)
	d.drafts(draft("and", "faster"), draft(""))
}

func TestDraftComesBack(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, Options{History: twoTurns(), Draft: loop.Draft{
			Text: "and the changelog", Queue: []string{"then update the README\x1b[2J\nof the shop", "and tag it"},
		}})
		d.golden("draft-" + size)
		d.pass(2 * time.Second)
		d.drafts() // it is what was saved
	})
}
