package turn

import (
	"context"

	"agent/internal/loop/event"
)

const (
	// lastReply is the note before the last reply of a turn that reached the step
	// limit. A request that ends with it lets the model call no tools.
	lastReply = "The turn has reached its step limit. Do not call tools. Answer now: say what is done, what was found and what is left to do."
	// notRunLimit is the result of a call in that reply.
	notRunLimit = "not run: the turn has reached its step limit"
)

// beforeStep enforces the step limit. Without a user, the model gets one more reply,
// without tools, before the turn ends.
func (r *run) beforeStep(ctx context.Context) ending {
	end := r.guards.beforeStep(ctx, r.end.Steps)
	if end.reason != event.MaxSteps || r.guards.user.attended() {
		return end
	}
	end.hint = "Raise the limit with --max-steps, or continue the session with a new prompt."
	r.limit = end
	if r.note != "" {
		r.note += "\n"
	}
	r.note += lastReply
	return ending{}
}

// endAtLimit returns how the turn ends after the last reply, whose own ending is end,
// and why its calls do not run.
func (r *run) endAtLimit(end ending) (ending, string) {
	switch end.reason {
	case event.UserInterrupt:
		return end, notRunStopped
	case event.LogError:
		return end, notRunUnsaved
	case event.ProviderError:
		r.limit.err += "; the last answer failed: " + end.err
	}
	return r.limit, notRunLimit
}

// reminder returns a note for a model that is done, but ran nothing after it changed
// files; empty if there is nothing to remind it of. A turn has at most one.
func (r *run) reminder() string {
	if r.reminded || !r.calls.untested || r.HowToTest == nil {
		return ""
	}
	how := r.HowToTest(r.guards.user.attended() || r.Permissions.Mode() == event.ModeAll)
	if how == "" {
		return ""
	}
	r.reminded = true
	return "You changed files and have run nothing since. Check the changes: " + how + ". If you cannot, end your answer with what is not checked."
}
