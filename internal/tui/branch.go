package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
)

// branchRead brings the branch that is checked out.
type branchRead struct{ name string }

// followBranch reads the branch anew after what may have changed it.
func (n *notifier) followBranch(events batch) tea.Cmd {
	for _, ev := range events {
		if end, ok := ev.(*event.ToolEnd); ok && end.Effect != "read" {
			return n.readBranch()
		}
	}
	return nil
}

// readBranch returns the command that reads the branch, unless that goes on.
func (n *notifier) readBranch() tea.Cmd {
	if n.Options.Files.ReadBranch == nil || n.reading {
		return nil
	}
	n.reading = true
	read := n.Options.Files.ReadBranch
	return func() tea.Msg { return branchRead{read()} }
}
