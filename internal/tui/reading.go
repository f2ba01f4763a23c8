package tui

import tea "charm.land/bubbletea/v2"

// turnPages drops the pages that are far from the window, and returns the
// command that reads those that it is near to, and what else is to be read.
func (m *model) turnPages() tea.Cmd {
	if m.o.Page == nil || !m.list.Settled {
		return nil
	}
	recalls := m.recalls
	m.recalls = nil
	return tea.Batch(m.list.TurnPages(m.o.Page), recalls)
}
