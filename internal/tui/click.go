package tui

import tea "charm.land/bubbletea/v2"

// clickPanel takes a click on a cell of the panel: on the draft, a suggestion or
// a choice.
func (m *model) clickPanel(x, y int) tea.Cmd {
	p := &m.panel
	switch {
	case p.asked.has(y) && m.dialog.takes():
		m.dialog.took(m.now())
		m.dialog.held.release()
		m.dialog.click(x, y-p.asked.from)
	case p.suggested.has(y):
		if i := m.popup.top + y - p.suggested.from; i < len(m.popup.rows) {
			m.accept(m.popup.rows[i])
		}
	case p.draft.has(y):
		m.pointer.sweeps = true
		m.editor.Click(x, y-p.draft.from, m.pointer.clicks)
	}
	return nil
}
