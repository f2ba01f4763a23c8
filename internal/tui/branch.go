package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
)

// branchRead brings the branch that is checked out.
type branchRead struct{ name string }

// followBranch reads the branch anew after what may have changed it.
func (m *model) followBranch(events batch) tea.Cmd {
	for _, ev := range events {
		if end, ok := ev.(*event.ToolEnd); ok && end.Effect != "read" {
			return m.readBranch()
		}
	}
	return nil
}

// readBranch returns the command that reads the branch, unless that goes on.
func (m *model) readBranch() tea.Cmd {
	if m.o.BranchNow == nil || m.reading {
		return nil
	}
	m.reading = true
	read := m.o.BranchNow
	return func() tea.Msg { return branchRead{read()} }
}
