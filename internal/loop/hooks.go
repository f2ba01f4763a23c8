package loop

import (
	"context"

	"agent/internal/loop/event"
	"agent/internal/loop/turn"
)

// turnHooks are the hooks of the agent for a turn.
type turnHooks struct {
	Hooks
	rec *recorder
}

// hooks returns the hooks of a turn; nil if there are none.
func (a *Agent) hooks() turn.Hooks {
	if a.o.Hooks == nil {
		return nil
	}
	return turnHooks{a.o.Hooks, a.rec}
}

// Prompt implements turn.Hooks.
func (h turnHooks) Prompt(ctx context.Context, p event.Prompt) (note, blocked string) {
	note, blocked = h.Hooks.Prompt(ctx, p.Text)
	if blocked != "" {
		h.rec.giveBack(p)
	}
	return note, blocked
}
