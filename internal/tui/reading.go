package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/transcript"
)

// turnPages drops the pages that are far from the window, and returns the
// command that reads those that it is near to, and what else is to be read.
func (s *session) turnPages() tea.Cmd {
	if s.o.Page == nil || !s.list.Settled {
		return nil
	}
	var cmds []tea.Cmd
	for _, p := range s.list.Wanted() {
		p.Asked = true
		cmds = append(cmds, transcript.ReadPage(s.o.Page, p, s.list.PageLimit.Events))
	}
	cmds = append(cmds, s.recalls)
	s.recalls = nil
	s.list.DropFar()
	return tea.Batch(cmds...)
}
