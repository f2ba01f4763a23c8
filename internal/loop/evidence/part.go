package evidence

import (
	"context"
	"strconv"

	"agent/internal/loop/part"
	"agent/internal/tools"
)

// Part records the calls of an agent. What a delegate does in a worktree does not count: its
// changes are not in the workspace yet. It is a part.Func.
func (l *Ledger) Part(a part.Agent) (part.Added, error) {
	if a.Isolated {
		return part.Added{}, nil
	}
	by := calls{ledger: l}
	if a.Number > 0 {
		by.agent = strconv.Itoa(a.Number)
	}
	return part.Added{Around: by}, nil
}

// calls records the calls of one agent in a ledger.
type calls struct {
	ledger *Ledger
	agent  string // ID of a delegate; empty for the main agent
}

// Run records a call.
func (s calls) Run(ctx context.Context, in tools.Info, c tools.Call, ok tools.Approved, next tools.Runner) (tools.Result, error) {
	return s.ledger.run(ctx, s.agent, in, c, ok, next)
}
