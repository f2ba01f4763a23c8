package tui

import tea "charm.land/bubbletea/v2"

func (m *model) slashView(string) tea.Cmd {
	m.openWhole()
	return nil
}

// openWhole shows everything uncut in all of the window. It is the same
// transcript, drawn in another way.
func (m *model) openWhole() {
	m.closeFind()
	m.whole, m.atEnd = true, m.list.follow
	m.list.showWhole(true)
}

// closeWhole goes back to the end if one came from there, and else stays at what
// one looked at.
func (m *model) closeWhole() {
	m.closeFind()
	m.whole = false
	m.list.showWhole(false)
	if m.atEnd {
		m.list.end()
	}
}

// showWhole draws all items with all they have, or as they were. What is at the
// top of the window stays there.
func (t *transcript) showWhole(whole bool) {
	t.whole = whole
	t.look++
	if !t.follow && t.top.row < len(t.pages[t.top.page].rows) {
		_, gap := t.lines(t.top)
		t.skip = min(t.skip, gap)
	}
}

// pressWhole takes a key while everything is shown. One that stops a turn does,
// unless it goes back from here.
func (m *model) pressWhole(msg tea.KeyPressMsg) tea.Cmd {
	k := msg.String()
	if m.stops(k) && !m.keys.is(k, actViewClose) {
		m.interrupt()
		return nil
	}
	if cmd, taken := m.pressFind(msg); taken {
		return cmd
	}
	page := max(m.list.height-2, 1)
	switch {
	case m.keys.is(k, actViewClose) && m.find.open && m.keys.is(k, actDismiss):
		m.closeFind()
	case m.keys.is(k, actViewClose), m.keys.is(k, actClear), m.keys.is(k, actView):
		m.closeWhole()
	case m.keys.is(k, actViewUp):
		m.list.scroll(-1)
	case m.keys.is(k, actViewDown):
		m.list.scroll(1)
	case m.keys.is(k, actViewPageUp), m.keys.is(k, actPageUp):
		m.list.scroll(-page)
	case m.keys.is(k, actViewPageDown), m.keys.is(k, actPageDown):
		m.list.scroll(page)
	case m.keys.is(k, actViewHalfUp):
		m.list.scroll(-max(m.list.height/2, 1))
	case m.keys.is(k, actViewHalfDown):
		m.list.scroll(max(m.list.height/2, 1))
	case m.keys.is(k, actViewTop), m.keys.is(k, actTop):
		m.list.home()
	case m.keys.is(k, actViewBottom), m.keys.is(k, actBottom):
		m.list.end()
	case m.keys.is(k, actViewFind), m.keys.is(k, actFind):
		m.openFind()
	case m.keys.is(k, actViewOlder):
		m.findOlder()
	case m.keys.is(k, actViewNewer):
		m.findNewer()
	case m.keys.is(k, actJumpBack), m.keys.is(k, actJumpOn):
		m.jump(m.keys.is(k, actJumpBack))
	case m.keys.is(k, actMouse):
		m.switchMouse()
	case m.keys.is(k, actSuspend):
		return tea.Suspend
	case m.keys.is(k, actRedraw):
		return tea.ClearScreen
	}
	return nil
}
