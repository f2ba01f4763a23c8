package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	clickPause = 400 * time.Millisecond // within which a click belongs to the one before
	dragPause  = 50 * time.Millisecond  // between the lines that a selection grows by at the edge
)

// dragDue says that a selection beyond the edge grows once more.
type dragDue struct{}

// pointer is what the person does with the mouse.
type pointer struct {
	drags  bool
	x, y   int
	clicks int // at the same place, one soon after the other
	at     time.Time
	due    bool // a dragDue comes
}

// click begins a selection; the second click at the same place marks the word
// there, the third the line.
func (m *model) click(msg tea.MouseClickMsg) {
	m.flash = ""
	if msg.Button != tea.MouseLeft || m.help.open {
		return
	}
	now, h := m.now(), &m.pointer
	again := h.clicks > 0 && now.Sub(h.at) < clickPause && h.x == msg.X && h.y == msg.Y
	if !again {
		h.clicks = 0
	}
	h.clicks, h.at, h.x, h.y = h.clicks%3+1, now, msg.X, msg.Y
	h.drags = m.list.beginSelection(msg.X, msg.Y)
	if h.drags && h.clicks > 1 {
		m.list.widenSelection(h.clicks == 3)
	}
}

// drag marks as far as the mouse is.
func (m *model) drag(msg tea.MouseMotionMsg) tea.Cmd {
	if !m.pointer.drags {
		return nil
	}
	m.pointer.x, m.pointer.y, m.pointer.clicks = msg.X, msg.Y, 0
	return m.stretch()
}

// stretch marks as far as the mouse is. At the edge of the transcript it
// scrolls, again and again as long as the mouse stays there.
func (m *model) stretch() tea.Cmd {
	switch {
	case m.pointer.y <= 0:
		m.list.scroll(-1)
	case m.pointer.y >= m.list.height-1 && !m.list.follow:
		m.list.scroll(1)
	default:
		m.list.extendSelection(m.pointer.x, m.pointer.y)
		return nil
	}
	m.arrange()
	m.list.extendSelection(m.pointer.x, m.pointer.y)
	if m.pointer.due {
		return nil
	}
	m.pointer.due = true
	return m.after(dragPause, dragDue{})
}

// release ends a selection, and copies what is marked.
func (m *model) release() tea.Cmd {
	if !m.pointer.drags {
		return nil
	}
	m.pointer.drags = false
	text := m.list.selected()
	if strings.TrimSpace(text) == "" {
		m.list.sel = selection{}
		return nil
	}
	return m.copyMarked(text)
}

// switchMouse gives the mouse to the terminal, or takes it back.
func (m *model) switchMouse() {
	if m.mouse = !m.mouse; m.mouse {
		m.flash = "the mouse is ours: it marks and copies"
	} else {
		m.flash = "the mouse is the terminal's · " + m.keys.name(actMouse) + " takes it back"
	}
}

// point routes what the mouse does.
func (m *model) point(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.MouseClickMsg:
		m.click(msg)
	case tea.MouseMotionMsg:
		return m.drag(msg)
	case tea.MouseReleaseMsg:
		return m.release()
	}
	return nil
}
