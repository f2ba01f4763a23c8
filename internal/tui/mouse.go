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
	clickPause = 400 * time.Millisecond // within which a click belongs to the one before
	dragPause  = 50 * time.Millisecond  // between the lines that a selection grows by at the edge
)

// dragDue says that a selection beyond the edge grows once more.
type dragDue struct{}

// pointer is what the person does with the mouse.
type pointer struct {
	drags  bool // in the transcript
	sweeps bool // in the draft
	x, y   int
	clicks int // at the same place, one soon after the other
	at     time.Time
	due    bool            // a dragDue comes
	opened *transcript.Row // by the first of the clicks, or closed
}

// mouse turns what the mouse does into selections, scrolling and clicks.
type mouse struct {
	*screen.Conversation
	editor  *editor.Editor
	dialog  *dialog.Dialog
	popup   *prompt.Suggestions
	clip    *prompt.Clipboard
	panel   *panel
	arrange func() // lays the screen out after the transcript moved

	on bool // the mouse is ours, and not the terminal's
	p  pointer
}

// click begins a selection; the second click at the same place marks the word
// there, the third the line. Below the transcript it takes what stands there.
func (m *mouse) click(msg tea.MouseClickMsg) tea.Cmd {
	m.Flash, m.p.sweeps = "", false
	m.editor.Selection.Clear()
	if msg.Button != tea.MouseLeft {
		return nil
	}
	now, h := m.Now(), &m.p
	m.LastKey = now
	if !m.dialog.Takes() { // the next click, meant for the draft, must not answer a question either
		m.dialog.Elsewhere()
	}
	again := h.clicks > 0 && now.Sub(h.at) < clickPause && h.x == msg.X && h.y == msg.Y
	if !again {
		h.clicks, h.opened = 0, nil
	}
	h.clicks, h.at, h.x, h.y = h.clicks%3+1, now, msg.X, msg.Y
	if h.opened != nil { // the first of two clicks was none for itself
		m.Transcript.Flip(h.opened)
		h.opened = nil
		m.arrange()
	}
	h.drags = m.Transcript.BeginSelection(msg.X, msg.Y)
	if h.drags && h.clicks > 1 {
		m.Transcript.WidenSelection(h.clicks == 3)
	}
	return m.clickPanel(msg.X, msg.Y-m.Transcript.Height)
}

// drag marks as far as the mouse is.
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
		m.editor.Drag(msg.X, msg.Y-m.Transcript.Height-m.panel.draft.from)
	}
	return nil
}

// stretch marks as far as the mouse is. At the edge of the transcript it
// scrolls, again and again as long as the mouse stays there.
func (m *mouse) stretch() tea.Cmd {
	switch {
	case m.p.y <= 0:
		m.Transcript.Scroll(-1)
	case m.p.y >= m.Transcript.Height-1 && !m.Transcript.Follow:
		m.Transcript.Scroll(1)
	default:
		m.Transcript.ExtendSelection(m.p.x, m.p.y)
		return nil
	}
	m.arrange()
	m.Transcript.ExtendSelection(m.p.x, m.p.y)
	if m.p.due {
		return nil
	}
	m.p.due = true
	return m.After(dragPause, dragDue{})
}

// release ends a selection, and copies what is marked. Where nothing is, it was
// a click.
func (m *mouse) release() tea.Cmd {
	h := &m.p
	if h.sweeps {
		h.sweeps = false
		if text := m.editor.Selection.Text(); strings.TrimSpace(text) != "" {
			return m.handMarked(text)
		}
		return nil
	}
	if !h.drags {
		return nil
	}
	h.drags = false
	text := m.Transcript.Selected()
	if strings.TrimSpace(text) == "" {
		m.Transcript.ClearSelection()
		if h.clicks == 1 {
			h.opened = m.Transcript.ToggleAt(h.y)
		}
		return nil
	}
	return m.handMarked(text)
}

// handMarked copies what the mouse marked, unless a key is to do that.
func (m *mouse) handMarked(text string) tea.Cmd {
	if m.Options.Clipboard.NoCopyOnSelect {
		if k := m.Keys.Name(keys.CopyMarked); k != "" {
			m.Flash = k + " copies"
		}
		return nil
	}
	return m.clip.CopyMarked(text)
}

// swept is what the mouse marked, in the draft or in the transcript; empty for
// nothing.
func (m *mouse) swept() string {
	if text := m.editor.Selection.Text(); text != "" {
		return text
	}
	return m.Transcript.Selected()
}

// toggle gives the mouse to the terminal, or takes it back.
func (m *mouse) toggle() {
	if m.on = !m.on; m.on {
		m.Flash = "the mouse is ours: it marks, copies, opens and chooses"
	} else {
		m.Flash = "the mouse is the terminal's · " + m.Keys.Name(keys.Mouse) + " takes it back"
	}
}

// point routes what the mouse does.
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

// wheelSteps is how many lines the wheel scrolls, and how many rows it moves in a
// list; less than 0 for up.
func wheelSteps(msg tea.MouseWheelMsg) (lines, rows int) {
	switch msg.Button {
	case tea.MouseWheelUp:
		return -3, -1
	case tea.MouseWheelDown:
		return 3, 1
	}
	return 0, 0
}

// wheel scrolls what the mouse is on: a question, suggestions, else the
// transcript.
func (m *mouse) wheel(msg tea.MouseWheelMsg) {
	n, step := wheelSteps(msg)
	y := msg.Y - m.Transcript.Height
	switch {
	case m.panel.asked.has(y):
		m.dialog.Scroll(n)
	case m.panel.suggested.has(y):
		m.popup.Marked = max(0, min(m.popup.Marked+step, len(m.popup.Rows)-1))
	default:
		m.Transcript.Scroll(n)
	}
}
