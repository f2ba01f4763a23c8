package turn

import (
	"context"

	"agent/internal/loop/event"
)

// Hooks are the commands of the user that act on a turn.
type Hooks interface {
	// Prompt is called before a prompt is added. It returns a note for the model, or why
	// the prompt is blocked and was given back to the user. Both may be empty.
	Prompt(ctx context.Context, p event.Prompt) (note, blocked string)
	// Ended is called when a turn ends, with its answer so far. If the model is done and
	// no hook has continued the turn, a result that is not empty is a message with which
	// the turn continues.
	Ended(ctx context.Context, reason event.Reason, answer string, continued bool) (more string)
}

// moreForHooks returns the message with which a hook continues a turn whose model is done;
// empty if none does. A turn is continued once.
func (r *run) moreForHooks(ctx context.Context) string {
	if r.turn.Hooks == nil || r.lastNote != "" {
		return ""
	}
	more := r.turn.Hooks.Ended(ctx, event.Done, r.final.Text(), r.hooked)
	r.hooked = r.hooked || more != ""
	return more
}
