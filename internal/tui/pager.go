package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/keys"
)

func viewCommand(m *model, _ string) (tea.Cmd, error) {
	m.openWhole()
	return nil, nil
}

// openWhole shows everything uncut in all of the window. It is the same
// transcript, drawn in another way.
func (m *model) openWhole() {
	m.find.close()
	m.whole, m.atEnd, m.find.inPager = true, m.list.Follow, true
	m.list.ShowFull(true)
}

// closeWhole goes back to the end if one came from there, and else stays at what
// one looked at.
func (m *model) closeWhole() {
	m.find.close()
	m.whole, m.find.inPager = false, false
	m.list.ShowFull(false)
	if m.atEnd {
		m.list.ShowEnd()
	}
}

// pressWhole takes a key while everything is shown. One that stops a turn does,
// unless it goes back from here.
func (m *model) pressWhole(msg tea.KeyPressMsg) tea.Cmd {
	k := msg.String()
	if m.stops(k) && !m.keys.Is(k, keys.ViewClose) {
		m.interrupt()
		return nil
	}
	if cmd, taken := m.find.press(msg); taken {
		return cmd
	}
	page := max(m.list.Height-2, 1)
	switch {
	case m.keys.Is(k, keys.ViewClose) && m.find.open && m.keys.Is(k, keys.Dismiss):
		m.find.close()
	case m.keys.Is(k, keys.ViewClose), m.keys.Is(k, keys.Clear), m.keys.Is(k, keys.View):
		m.closeWhole()
	case m.keys.Is(k, keys.ViewUp):
		m.list.Scroll(-1)
	case m.keys.Is(k, keys.ViewDown):
		m.list.Scroll(1)
	case m.keys.Is(k, keys.ViewPageUp), m.keys.Is(k, keys.PageUp):
		m.list.Scroll(-page)
	case m.keys.Is(k, keys.ViewPageDown), m.keys.Is(k, keys.PageDown):
		m.list.Scroll(page)
	case m.keys.Is(k, keys.ViewHalfUp):
		m.list.Scroll(-max(m.list.Height/2, 1))
	case m.keys.Is(k, keys.ViewHalfDown):
		m.list.Scroll(max(m.list.Height/2, 1))
	case m.keys.Is(k, keys.ViewTop), m.keys.Is(k, keys.Top):
		m.list.ShowStart()
	case m.keys.Is(k, keys.ViewBottom), m.keys.Is(k, keys.Bottom):
		m.list.ShowEnd()
	case m.keys.Is(k, keys.ViewFind), m.keys.Is(k, keys.Find):
		m.find.start()
	case m.keys.Is(k, keys.ViewOlder):
		m.find.goOlder()
	case m.keys.Is(k, keys.ViewNewer):
		m.find.goNewer()
	case m.keys.Is(k, keys.JumpBack), m.keys.Is(k, keys.JumpOn):
		m.jump(m.keys.Is(k, keys.JumpBack))
	case m.keys.Is(k, keys.Mouse):
		m.switchMouse()
	case m.keys.Is(k, keys.Suspend):
		return tea.Suspend
	case m.keys.Is(k, keys.Redraw):
		return tea.ClearScreen
	}
	return nil
}
