package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

func TestRewindList(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{Session: screen.Session{History: twoTurns()}})
		d.press("esc")
		if !strings.Contains(d.screen(), "esc again to edit a message") {
			t.Errorf("the hint after the first esc is missing:\n%s", d.screen())
		}
		d.press("esc")
		d.golden("rewind-" + size)
		d.typeText("slow")
		d.press("enter")
		d.golden("rewinding-" + size)
		d.wantCommands(event.Rewind{Keep: 0})
	})
}

// Pressing esc twice opens the rewind list only within a short time, with an empty
// prompt and while no turn runs.
func TestEscTwice(t *testing.T) {
	open := func(d *driver) bool { return d.m.layers.Full() != nil }
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: twoTurns()}})
	d.press("esc")
	d.advance(3 * time.Second)
	if strings.Contains(d.screen(), "esc again") {
		t.Errorf("the hint of the first esc does not expire:\n%s", d.screen())
	}
	d.press("esc", "x", "esc", "esc")
	if open(d) {
		t.Error("esc opens the list over a draft")
	}
	d.press("backspace", "esc", "left", "esc")
	if open(d) {
		t.Error("esc opens the list after another key")
	}
	d.press("esc")
	if !open(d) {
		t.Error("esc twice does not open the list")
	}
	d.press("esc")
	if open(d) {
		t.Error("esc does not close the list")
	}
	d.typeText("continue")
	d.press("enter", "esc", "esc")
	if open(d) {
		t.Error("esc opens the list while a turn runs")
	}
	d.wantCommands(event.Prompt{Text: "continue"}, event.Interrupt{}, event.Interrupt{})

	none := newDriver(t, 80, 24, screen.Options{})
	none.press("esc", "esc")
	if open(none) || strings.Contains(none.screen(), "esc again") {
		t.Errorf("an empty session can be rewound:\n%s", none.screen())
	}
}

func TestForkList(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		history := append(twoTurns(), userSaid("a \x1b[2Jhostile\u202e prompt\n"+strings.Repeat("long ", 200)), turnEnd(event.Done, time.Second))
		d := newDriver(t, w, h, screen.Options{Session: screen.Session{ID: "s1", History: history}})
		d.typeText("/fork")
		d.press("enter")
		d.golden("fork-" + size)
		d.press("down")
		d.golden("fork-hostile-" + size)
		d.press("up", "enter")
		keep := len(history) - 1 // the partial does not count
		if diff := cmp.Diff(d.m.end.next, screen.Exit{Fork: &keep}); diff != "" || !d.quit {
			t.Errorf("the screen ended: %v, with (-got +want):\n%s", d.quit, diff)
		}
	})
}

// Steering messages and automatic prompts do not start a turn, so they are not in the
// rewind list.
func TestRewindPoints(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{
		Session: screen.Session{History: []event.Event{
			userSaid("one"), &event.UserSaid{Text: "steer", Steered: true}, &event.UserSaid{Text: event.ContinuePrompt, Auto: true},
			turnEnd(event.Done, time.Second), userSaid("two"), turnEnd(event.Done, time.Second),
		}},
	})
	d.typeText("/rewind")
	d.press("enter")
	if got := d.screen(); !strings.Contains(got, "one") || !strings.Contains(got, "two") || strings.Contains(got, "steer") {
		t.Errorf("want only the prompts that started a turn:\n%s", got)
	}
	d.press("enter")
	d.wantCommands(event.Rewind{Keep: 4})
	d.events(&event.Rewound{Keep: 4})
	d.typeText(" and a half")
	d.press("enter")
	d.wantCommands(event.Rewind{Keep: 4}, event.Prompt{Text: "two and a half"})
}
