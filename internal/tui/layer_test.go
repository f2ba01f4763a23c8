package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
)

// note is an overlay above or at the prompt. It counts what it gets.
type note struct {
	layers  *layer.Stack
	place   layer.Place
	got     []string
	at      []tea.Position
	height  int
	animate bool
}

func (n *note) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	if n.got = append(n.got, msg.String()); msg.String() == "esc" {
		n.layers.Remove(n)
		return nil, layer.Taken
	}
	return nil, layer.Below
}

func (n *note) Paste(string) (tea.Cmd, bool) { return nil, false }

func (n *note) Place() layer.Place { return n.place }

func (n *note) View(_, height int) ([]string, *tea.Cursor) {
	return []string{"a note", "of", "three lines"}[:min(n.height, height)], nil
}

func (n *note) Mouse(msg tea.MouseMsg, _ int) (tea.Cmd, bool) {
	n.at = append(n.at, tea.Position{X: msg.Mouse().X, Y: msg.Mouse().Y})
	return nil, true
}

func (n *note) Hint() string { return "the hint of the note" }

func (n *note) KeyHint() string { return "the keys of the note" }

func (n *note) Animates() bool { return n.animate }

func (n *note) Tick() { n.got = append(n.got, "tick") }

func (n *note) Receive(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(*event.Renamed); ok {
		n.got = append(n.got, "renamed")
	}
	return nil
}

func (n *note) Closes(key string) bool { return key == "esc" }

func (n *note) Cancel() (tea.Cmd, bool) {
	n.layers.Remove(n)
	return nil, true
}

// An overlay needs only its own methods to be drawn, to get keys, events, the mouse and
// ticks, to show hints, and to close with ctrl+c.
func TestOverlay(t *testing.T) {
	for place, draft := range map[layer.Place]bool{layer.AbovePrompt: true, layer.AtPrompt: false} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.typeText("draft")
		n := &note{layers: d.m.layers, place: place, height: 3}
		d.m.layers.Push(n)
		d.press("right")
		d.shows("a note", "three lines", "the hint of the note", "the keys of the note")
		if draft {
			d.shows("› draft")
		} else {
			d.hides("› draft")
		}

		x, y := d.find("three lines")
		d.drag(x+3, y, 2, 0) // ends in the transcript
		d.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelUp})
		want := []tea.Position{{X: x + 3, Y: 2}, {X: 2, Y: 2 - y}, {X: 2, Y: 2 - y}, {X: x, Y: 2}}
		if diff := cmp.Diff(n.at, want); diff != "" {
			t.Errorf("mouse events (-got +want):\n%s", diff)
		}
		if !d.m.session.Transcript.Follow {
			t.Error("the wheel scrolled the transcript")
		}

		d.events(userSaid("go"))
		d.shows("ctrl+c to interrupt") // esc closes the note
		d.events(turnEnd("done", time.Second))
		n.got, n.animate = nil, true
		d.press("x")
		d.events(&event.Renamed{Title: "shop"})
		d.advance(2 * spinnerPause)
		n.animate = false
		d.advance(time.Second)
		if diff := cmp.Diff(n.got, []string{"x", "renamed", "tick", "tick", "tick"}); diff != "" { // the last timer ran already
			t.Errorf("keys and ticks (-got +want):\n%s", diff)
		}
		d.press("ctrl+c")
		d.hides("a note")
		d.shows("› draftx")
	}
}
