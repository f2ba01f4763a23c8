package tui

import tea "charm.land/bubbletea/v2"

// clickPanel handles a click at a cell of the panel: on the draft, a suggestion or
// a row of the dialog.
func (m *mouse) clickPanel(x, y int) tea.Cmd {
	p := m.panel
	switch {
	case p.asked.has(y):
		m.dialog.Click(x, y-p.asked.from)
	case p.suggested.has(y):
		if i := m.popup.Top + y - p.suggested.from; i < len(m.popup.Rows) {
			m.popup.Accept(m.popup.Rows[i])
		}
	case p.draft.has(y):
		m.p.sweeps = true
		m.editor.Click(x, y-p.draft.from, m.p.clicks)
	}
	return nil
}
