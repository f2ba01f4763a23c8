package tui

import (
	"strings"
	"testing"
	"time"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// However old the draft is, enter next to it does not approve: it is meant to
// send the draft.
func TestEnterNextToAnOldDraft(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"))
	d.enter("please wait")
	d.pass(10 * time.Second)
	d.events(askCommand("1", "make"))
	d.arms()
	d.press("enter")
	d.commands()
	d.holds("please wait")
}

// An edit of which not one line is in view is not approved.
func TestEditThatCannotBeSeen(t *testing.T) {
	ask := event.Asked{Ask: event.Ask{ID: "1", Title: "write b.txt", Effect: "write", Scope: "all edits to b.txt",
		Targets: []event.Target{{Kind: "path", Value: "b.txt"}},
		Diffs:   []event.Diff{{Path: "b.txt", Created: true, Added: 30, Unified: "@@ -0,0 +1,30 @@\n" + strings.Repeat("+line\n", 30)}}}}
	d := newDriver(t, 40, 8, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "write"), ask)
	d.arms()
	hidden := !strings.Contains(d.screen(), "+ line")
	d.press("enter")
	if hidden {
		d.commands()
		for range 40 {
			d.press("pgdown")
		}
		d.pass(time.Second)
		d.press("1")
	}
	d.commands(event.Answer{ID: "1", Decision: event.Allow})
}
