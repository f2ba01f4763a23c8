package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/prompt"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

const (
	// multiClickTime is the longest pause within a double or triple click.
	multiClickTime = 400 * time.Millisecond
	// autoScrollPause is the time between two lines while a drag scrolls.
	autoScrollPause = 50 * time.Millisecond
)

// dragDue is the timer message that scrolls a drag beyond the edge by another line.
type dragDue struct{}

// point clears the selection before a click, and passes a mouse event to the layers.
func (m *model) point(msg tea.MouseMsg) tea.Cmd {
	if m.layers.Full() != nil {
		return m.layers.Mouse(msg, 1, &m.display.panel.Panel, 0)
	}
	if click, ok := msg.(tea.MouseClickMsg); ok {
		m.Flash, m.mouse.drags = "", false
		m.layers.LetGo()
		m.editor.Selection.Clear()
		if click.Button != tea.MouseLeft {
			return nil
		}
		m.session.Transcript.Selection.Clear()
		m.LastKey = m.Now()
		if !m.dialog.Takes() { // the second click of a double click on the draft must not answer a dialog
			m.dialog.Elsewhere()
		}
	}
	clicks, ok := m.mouse.count(msg, m.Now())
	if !ok {
		return nil
	}
	return m.layers.Mouse(msg, clicks, &m.display.panel.Panel, m.Height-len(m.display.panel.Lines))
}

// mouse selects text of the transcript, and expands and collapses its items.
type mouse struct {
	*screen.Window
	transcript *transcript.Transcript
	clip       *prompt.Clipboard
	arrange    func() // updates the layout after the transcript scrolled

	on     bool // mouse events are captured; otherwise the terminal handles them
	clicks clicks
	drags  bool            // a drag selects text
	x, y   int             // of the drag
	due    bool            // a dragDue timer is running
	opened *transcript.Row // the row that the first click expanded or collapsed
}

// clicks counts the clicks of double and triple clicks.
type clicks struct {
	x, y int // the last position of the mouse while a button was pressed
	n    int // length of the multi-click at this cell, 1 to 3
	at   time.Time
}

// count returns how many clicks msg completes: see layer.Pointed. It reports false for a
// motion within a cell.
func (m *mouse) count(msg tea.MouseMsg, now time.Time) (n int, ok bool) {
	c, at := &m.clicks, msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		if c.n == 0 || now.Sub(c.at) >= multiClickTime || c.x != at.X || c.y != at.Y {
			c.n = 0
		}
		*c = clicks{at.X, at.Y, c.n%3 + 1, now}
	case tea.MouseMotionMsg:
		if c.x == at.X && c.y == at.Y {
			return 0, false
		}
		c.x, c.y, c.n = at.X, at.Y, 0
	case tea.MouseWheelMsg:
		return 0, true
	}
	return c.n, true
}

// Mouse implements layer.Pointed for the transcript.
func (m *mouse) Mouse(msg tea.MouseMsg, clicks int) (tea.Cmd, bool) {
	at := msg.Mouse()
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		m.transcript.Scroll(layer.WheelLines(msg))
	case tea.MouseClickMsg:
		m.click(at.X, at.Y, clicks)
	case tea.MouseMotionMsg:
		if m.x, m.y = at.X, at.Y; m.drags {
			return m.stretch(), true
		}
	case tea.MouseReleaseMsg:
		return m.release(clicks), true
	}
	return nil, true
}

// click starts a selection. A double click selects a word, a triple click a line.
func (m *mouse) click(x, y, clicks int) {
	if clicks == 1 {
		m.opened = nil
	}
	if m.opened != nil { // a double click selects, so undo the toggle of its first click
		m.transcript.Flip(m.opened)
		m.opened = nil
		m.arrange()
	}
	m.x, m.y = x, y
	m.drags = m.transcript.Selection.Begin(x, y)
	if m.drags && clicks > 1 {
		m.transcript.Selection.Widen(clicks == 3)
	}
}

// stretch extends the selection to the position of the mouse. At the edge it scrolls by a
// line, and again after autoScrollPause while the mouse stays there.
func (m *mouse) stretch() tea.Cmd {
	switch {
	case m.y <= 0:
		m.transcript.Scroll(-1)
	case m.y >= m.transcript.Height-1 && !m.transcript.Follow:
		m.transcript.Scroll(1)
	default:
		m.transcript.Selection.Extend(m.x, m.y)
		return nil
	}
	m.arrange()
	m.transcript.Selection.Extend(m.x, m.y)
	if m.due {
		return nil
	}
	m.due = true
	return m.After(autoScrollPause, dragDue{})
}

// scrollOn continues a drag beyond the edge after autoScrollPause.
func (m *mouse) scrollOn() tea.Cmd {
	if m.due = false; m.drags {
		return m.stretch()
	}
	return nil
}

// release ends a drag and copies the selection. Without a selection it was a click,
// which toggles the item at that line.
func (m *mouse) release(clicks int) tea.Cmd {
	if !m.drags {
		return nil
	}
	m.drags = false
	text := m.transcript.Selection.Text()
	if strings.TrimSpace(text) == "" {
		m.transcript.Selection.Clear()
		if clicks == 1 {
			m.opened = m.transcript.ToggleAt(m.y)
		}
		return nil
	}
	return m.clip.Selected(text)
}

// toggle turns mouse capture on or off.
func (m *mouse) toggle() {
	if m.on = !m.on; m.on {
		m.Flash = "the program handles the mouse: select, copy, expand, choose"
	} else {
		m.Flash = "the terminal handles the mouse · " + m.Keys.Name(keys.Mouse) + " to switch back"
	}
}

// selected returns the text selected with the mouse, in the draft or in the transcript,
// or "".
func (m *model) selected() string {
	if text := m.editor.Selection.Text(); text != "" {
		return text
	}
	return m.session.Transcript.Selection.Text()
}
