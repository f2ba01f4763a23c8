package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// newDragDriver returns a driver with a short session, and the text last copied to the
// clipboard.
func newDragDriver(t *testing.T) (*driver, *string) {
	t.Helper()
	var copied string
	d := newDriver(t, 60, 24, screen.Options{
		Clipboard: screen.Clipboard{Copy: func(text string) (string, error) {
			copied = text
			return "a clipboard", nil
		}},
	})
	d.events(&event.UserSaid{Text: "describe a.go"},
		&event.MessageDone{Message: llm.Message{Kind: llm.Assistant, Reply: "r", Text: "It has *one* function:\n\n```go\nfunc main() {\n\tprintln(1)\n}\n```\n\nSee `./cmd/a.go:3`."}},
		&event.TurnEnd{Reason: event.Done})
	return d, &copied
}

// find returns the position of text on the screen.
func (d *driver) find(text string) (x, y int) {
	d.t.Helper()
	for y, line := range strings.Split(d.screen(), "\n") {
		if i := strings.Index(line, text); i >= 0 {
			return ansi.StringWidth(line[:i]), y
		}
	}
	d.t.Fatalf("%q is not on the screen:\n%s", text, d.screen())
	return 0, 0
}

func (d *driver) drag(x, y, toX, toY int) {
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.send(tea.MouseMotionMsg{X: toX, Y: toY, Button: tea.MouseLeft})
	d.send(tea.MouseReleaseMsg{X: toX, Y: toY, Button: tea.MouseLeft})
}

func TestDraggingCopiesWithoutMargins(t *testing.T) {
	d, copied := newDragDriver(t)
	x, y := d.find("func main")
	_, end := d.find("}")
	d.drag(x, y, x, end)
	if diff := cmp.Diff(*copied, "func main() {\n    println(1)\n}"); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(d.screen(), "copied 3 lines") {
		t.Errorf("the hint that text was copied is missing:\n%s", d.screen())
	}

	// Drag upwards, across the marks in the margin.
	x, y = d.find("It has")
	d.drag(x+5, y, 0, y-2)
	if diff := cmp.Diff(*copied, "describe a.go\n\nIt has"); diff != "" {
		t.Error(diff)
	}

	d.press("x")
	if strings.Contains(d.screen(), "copied") || d.m.session.Transcript.Selection.Text() != "" {
		t.Errorf("the selection is still shown after a key:\n%s", d.screen())
	}
}

func TestMultiClickSelectsWordAndLine(t *testing.T) {
	d, copied := newDragDriver(t)
	x, y := d.find("./cmd/a.go:3")
	click := func() {
		d.send(tea.MouseClickMsg{X: x + 4, Y: y, Button: tea.MouseLeft})
		d.send(tea.MouseReleaseMsg{X: x + 4, Y: y, Button: tea.MouseLeft})
	}
	click()
	if *copied != "" {
		t.Errorf("a click copied %q", *copied)
	}
	click()
	if diff := cmp.Diff(strings.TrimSuffix(*copied, "."), "./cmd/a.go:3"); diff != "" {
		t.Error(diff)
	}
	click()
	if diff := cmp.Diff(*copied, "See ./cmd/a.go:3."); diff != "" {
		t.Error(diff)
	}
	*copied = ""
	d.advance(time.Second)
	click()
	if *copied != "" {
		t.Errorf("a click after a pause copied %q", *copied)
	}
}

// A selection keeps its text while messages arrive. It scrolls and grows while the mouse
// is held at the edge.
func TestSelectionDuringNewMessages(t *testing.T) {
	d, copied := newDragDriver(t)
	x, y := d.find("It has")
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	for range 30 {
		d.events(&event.UserSaid{Text: "more"}, &event.TurnEnd{Reason: event.Done})
	}
	d.send(tea.MouseMotionMsg{X: 0, Y: 0, Button: tea.MouseLeft})
	for range 200 {
		d.advance(autoScrollPause)
	}
	d.send(tea.MouseReleaseMsg{X: 0, Y: 0, Button: tea.MouseLeft})
	if !strings.HasPrefix(*copied, "agent 0.1") || !strings.HasSuffix(*copied, "describe a.go\n\nI") {
		t.Errorf("got %q", *copied)
	}
}

// Toggling mouse capture shows a message.
func TestToggleMouse(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.press("alt+m")
	d.shows("the terminal handles the mouse · alt+m to switch back")
	if got := d.m.View().MouseMode; got != tea.MouseModeNone {
		t.Errorf("got mouse mode %v", got)
	}
	d.press("alt+m")
	d.shows("the program handles the mouse")
	d.press("x")
	d.hides("the mouse")
}
