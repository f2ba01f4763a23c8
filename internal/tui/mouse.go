package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/keys"
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

// pointer is the state of the current click or drag.
type pointer struct {
	drags  bool // a drag selects text in the transcript
	sweeps bool // a drag selects text in the draft
	x, y   int
	clicks int // length of the multi-click at this cell, 1 to 3
	at     time.Time
	due    bool            // a dragDue timer is running
	opened *transcript.Row // the row that the first click expanded or collapsed
}

// mouse turns mouse events into selections, scrolling and clicks.
type mouse struct {
	*screen.Window
	transcript *transcript.Transcript
	editor     *editor.Editor
	dialog     *dialog.Dialog
	popup      *prompt.Suggestions
	clip       *prompt.Clipboard
	panel      *panel
	arrange    func() // updates the layout after the transcript scrolled

	on bool // mouse events are captured; otherwise the terminal handles them
	p  pointer
}

// click starts a selection in the transcript. A double click selects a word, a triple
// click a line. Clicks below the transcript go to clickPanel.
func (m *mouse) click(msg tea.MouseClickMsg) tea.Cmd {
	m.Flash, m.p.sweeps = "", false
	m.editor.Selection.Clear()
	if msg.Button != tea.MouseLeft {
		return nil
	}
	now, h := m.Now(), &m.p
	m.LastKey = now
	if !m.dialog.Takes() { // the second click of a double click on the draft must not answer a dialog
		m.dialog.Elsewhere()
	}
	again := h.clicks > 0 && now.Sub(h.at) < multiClickTime && h.x == msg.X && h.y == msg.Y
	if !again {
		h.clicks, h.opened = 0, nil
	}
	h.clicks, h.at, h.x, h.y = h.clicks%3+1, now, msg.X, msg.Y
	if h.opened != nil { // a double click selects, so undo the toggle of its first click
		m.transcript.Flip(h.opened)
		h.opened = nil
		m.arrange()
	}
	h.drags = m.transcript.BeginSelection(msg.X, msg.Y)
	if h.drags && h.clicks > 1 {
		m.transcript.WidenSelection(h.clicks == 3)
	}
	return m.clickPanel(msg.X, msg.Y-m.transcript.Height)
}

// drag extends the selection to the position of the mouse.
func (m *mouse) drag(msg tea.MouseMotionMsg) tea.Cmd {
	h := &m.p
	if h.x == msg.X && h.y == msg.Y {
		return nil
	}
	h.x, h.y, h.clicks = msg.X, msg.Y, 0
	switch {
	case h.drags:
		return m.stretch()
	case h.sweeps:
		m.editor.Drag(msg.X, msg.Y-m.transcript.Height-m.panel.draft.from)
	}
	return nil
}

// stretch extends the selection in the transcript to the position of the mouse. At the
// edge it scrolls by a line, and again after autoScrollPause while the mouse stays
// there.
func (m *mouse) stretch() tea.Cmd {
	switch {
	case m.p.y <= 0:
		m.transcript.Scroll(-1)
	case m.p.y >= m.transcript.Height-1 && !m.transcript.Follow:
		m.transcript.Scroll(1)
	default:
		m.transcript.ExtendSelection(m.p.x, m.p.y)
		return nil
	}
	m.arrange()
	m.transcript.ExtendSelection(m.p.x, m.p.y)
	if m.p.due {
		return nil
	}
	m.p.due = true
	return m.After(autoScrollPause, dragDue{})
}

// release ends a drag and copies the selection. Without a selection it was a click,
// which toggles the item at that line.
func (m *mouse) release() tea.Cmd {
	h := &m.p
	if h.sweeps {
		h.sweeps = false
		if text := m.editor.Selection.Text(); strings.TrimSpace(text) != "" {
			return m.copySelection(text)
		}
		return nil
	}
	if !h.drags {
		return nil
	}
	h.drags = false
	text := m.transcript.Selected()
	if strings.TrimSpace(text) == "" {
		m.transcript.ClearSelection()
		if h.clicks == 1 {
			h.opened = m.transcript.ToggleAt(h.y)
		}
		return nil
	}
	return m.copySelection(text)
}

// copySelection copies text to the clipboard. If copy_on_select is off, it only shows
// the key that copies.
func (m *mouse) copySelection(text string) tea.Cmd {
	if m.Options.Clipboard.NoCopyOnSelect {
		if k := m.Keys.Name(keys.CopySelection); k != "" {
			m.Flash = k + " copies"
		}
		return nil
	}
	return m.clip.CopySelection(text)
}

// selected returns the text selected with the mouse, in the draft or in the transcript,
// or "".
func (m *mouse) selected() string {
	if text := m.editor.Selection.Text(); text != "" {
		return text
	}
	return m.transcript.Selected()
}

// toggle turns mouse capture on or off.
func (m *mouse) toggle() {
	if m.on = !m.on; m.on {
		m.Flash = "the program handles the mouse: select, copy, expand, choose"
	} else {
		m.Flash = "the terminal handles the mouse · " + m.Keys.Name(keys.Mouse) + " to switch back"
	}
}

// point dispatches a mouse event.
func (m *mouse) point(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.MouseMotionMsg:
		return m.drag(msg)
	case tea.MouseReleaseMsg:
		return m.release()
	}
	return nil
}

// wheelSteps returns how many lines of text, or rows of a list, a wheel event scrolls.
// Negative numbers scroll up.
func wheelSteps(msg tea.MouseWheelMsg) (lines, rows int) {
	switch msg.Button {
	case tea.MouseWheelUp:
		return -3, -1
	case tea.MouseWheelDown:
		return 3, 1
	}
	return 0, 0
}

// wheel scrolls the dialog, the suggestions or the transcript, whichever is under the
// mouse.
func (m *mouse) wheel(msg tea.MouseWheelMsg) {
	n, step := wheelSteps(msg)
	y := msg.Y - m.transcript.Height
	switch {
	case m.panel.asked.has(y):
		m.dialog.Scroll(n)
	case m.panel.suggested.has(y):
		m.popup.Marked = max(0, min(m.popup.Marked+step, len(m.popup.Rows)-1))
	default:
		m.transcript.Scroll(n)
	}
}
