package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/transcript"
)

// turnPages drops the pages that are far from the window, and returns the
// command that reads those that it is near to, and what else is to be read.
func (m *model) turnPages() tea.Cmd {
	if m.o.Page == nil || !m.list.Settled {
		return nil
	}
	var cmds []tea.Cmd
	for _, p := range m.list.Wanted() {
		p.Asked = true
		cmds = append(cmds, transcript.ReadPage(m.o.Page, p, m.list.PageLimit.Events))
	}
	cmds = append(cmds, m.recalls)
	m.recalls = nil
	m.list.DropFar()
	return tea.Batch(cmds...)
}
