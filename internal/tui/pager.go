package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/dialog"
	"agent/internal/tui/keys"
)

func viewCommand(m *model, _ string) (tea.Cmd, error) {
	m.pager.show()
	return nil, nil
}

// pager shows the whole transcript uncut in the full screen.
type pager struct {
	*session
	dialog *dialog.Dialog
	find   *finder
	hints  *hints

	open  bool
	atEnd bool // it was opened at the end of the transcript
}

// show shows everything uncut in all of the window. It is the same
// transcript, drawn in another way.
func (p *pager) show() {
	p.find.close()
	p.open, p.atEnd, p.find.inPager = true, p.list.Follow, true
	p.list.ShowFull(true)
}

// close goes back to the end if one came from there, and else stays at what
// one looked at.
func (p *pager) close() {
	p.find.close()
	p.open, p.find.inPager = false, false
	p.list.ShowFull(false)
	if p.atEnd {
		p.list.ShowEnd()
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
		m.pager.close()
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
		m.mouse.toggle()
	case m.keys.Is(k, keys.Suspend):
		return tea.Suspend
	case m.keys.Is(k, keys.Redraw):
		return tea.ClearScreen
	}
	return nil
}
