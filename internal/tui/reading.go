package tui

import tea "charm.land/bubbletea/v2"

// turnPages drops the pages that are far from the window, and returns the
// command that reads those that it is near to, and what else is to be read.
func (s *session) turnPages() tea.Cmd {
	if s.o.Session.Page == nil || !s.list.Settled {
		return nil
	}
	recalls := s.recalls
	s.recalls = nil
	return tea.Batch(s.list.TurnPages(s.o.Session.Page), recalls)
}
