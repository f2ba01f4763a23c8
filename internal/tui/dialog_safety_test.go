package tui

import (
	"strings"
	"testing"
	"time"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// With text in the draft, enter does not approve, because it may be meant to send the
// draft. The age of the draft does not matter.
func TestEnterWithADraftDoesNotApprove(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"))
	d.typeText("please wait")
	d.advance(10 * time.Second)
	d.events(askCommand("1", "make"))
	d.armDialog()
	d.press("enter")
	d.wantCommands()
	d.promptIs("please wait")
}

// An edit cannot be approved while none of its lines is visible.
func TestInvisibleEditIsNotApproved(t *testing.T) {
	ask := event.Asked{Ask: event.Ask{ID: "1", Title: "write b.txt", Effect: "write", Scope: "all edits",
		Targets: []event.Target{{Kind: "path", Value: "b.txt"}},
		Diffs:   []event.Diff{{Path: "b.txt", Created: true, Added: 30, Unified: "@@ -0,0 +1,30 @@\n" + strings.Repeat("+line\n", 30)}}}}
	d := newDriver(t, 40, 8, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "write"), ask)
	d.armDialog()
	hidden := !strings.Contains(d.screen(), "+ line")
	d.press("enter")
	if hidden {
		d.wantCommands()
		for range 40 {
			d.press("pgdown")
		}
		d.advance(time.Second)
		d.press("1")
	}
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow})
}
