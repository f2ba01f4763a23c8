package tui

import (
	"testing"
	"time"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// checkedTurn returns a turn that ends with evidence. Its texts are hostile.
func checkedTurn() []event.Event {
	began := time.Date(2026, 11, 3, 14, 3, 5, 0, time.UTC)
	passed, failed := 0, 2
	end := turnEnd(event.Done, time.Minute)
	end.Evidence = &event.Evidence{
		Edited: 2, Files: []string{"internal/a.go", "b\ntests passed \x1b[31m.go"}, Commands: 1,
		Checks: []event.CheckRun{
			{Kind: event.CheckLint, Command: "golangci-lint run \x1b[31m", Outcome: event.CheckFailed, Code: &failed, Report: "2 issues\x1b[2J", Began: began, By: event.ByConfiguration, EditedSince: 1},
			{Kind: event.CheckTest, Command: "go test ./...", Dir: "sub", Outcome: event.CheckPassed, Code: &passed, Report: "ok  \tagent/sub", Began: began.Add(time.Minute), By: event.ByUser, CommandsSince: 1},
		},
	}
	return []event.Event{userSaid("check it"), end}
}

// A turn ends with what the program saw of its checks, and /evidence lists it. A
// resumed session shows the same.
func TestEvidence(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		show := func(d *driver) *driver {
			d.typeText("/evidence")
			d.press("enter")
			return d
		}
		d := newDriver(t, w, h, screen.Options{})
		show(d)
		d.events(checkedTurn()...)
		d.golden("evidence-" + size)
		live := newDriver(t, w, h, screen.Options{})
		live.events(checkedTurn()...)
		show(live).golden("evidence-list-" + size)
		live.sameScreen(show(newDriver(t, w, h, screen.Options{Session: screen.Session{History: checkedTurn()}})))
	})
}
