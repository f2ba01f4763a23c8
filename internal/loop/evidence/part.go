package evidence

import "agent/internal/loop/part"

// Part records the calls of an agent. What a delegate does in a worktree does not count: its
// changes are not in the workspace yet. It is a part.Func.
func (l *Ledger) Part(a part.Agent) (part.Added, error) {
	if a.Isolated {
		return part.Added{}, nil
	}
	return part.Added{Around: l}, nil
}
