package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
)

// branchRead carries the name of the current git branch.
type branchRead struct{ name string }

// followBranch reads the branch again after a tool call or a delegate that may have
// changed it.
func (n *notifier) followBranch(events batch) tea.Cmd {
	for _, ev := range events {
		switch ev := ev.(type) {
		case *event.ToolEnd:
			if ev.Effect != event.ReadEffect {
				return n.readBranch()
			}
		case *event.DelegateEnd:
			return n.readBranch()
		}
	}
	return nil
}

// readBranch returns a command that reads the branch. It returns nil if the branch
// cannot be read or is being read.
func (n *notifier) readBranch() tea.Cmd {
	if n.Options.Files.ReadBranch == nil || n.reading {
		return nil
	}
	n.reading = true
	read := n.Options.Files.ReadBranch
	return func() tea.Msg { return branchRead{read()} }
}
