package turn

import (
	"context"
	"strings"
	"sync"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

const (
	// lastReply ends the note before the last reply of a turn that reached a limit. A
	// request that ends with it lets the model call no tools.
	lastReply = " Do not call tools in this reply. Answer now: say what is done, what was found and what is left to do."
	// answerOnly is the note of a turn that may make no steps with tools. A request
	// that ends with it lets the model call none.
	answerOnly = "Answer without calling tools."
	// notRunAnswer is the result of a call in such a reply.
	notRunAnswer = "not run: a turn may make no steps with tools"
	// lastReplyTime is how long a last reply may exceed a time limit.
	lastReplyTime = 10 * time.Second
)

// forbidsTools reports whether text, the last message of a request, forbids tools.
func forbidsTools(text string) bool {
	return strings.HasSuffix(text, lastReply) || strings.HasSuffix(text, answerOnly)
}

// beforeStep enforces the limits of the turn and of the session.
func (r *run) beforeStep(ctx context.Context) ending {
	if r.limit.reason != "" {
		return ending{}
	}
	end := r.orLastReply(r.guards.beforeStep(ctx))
	if end.reason == "" && r.limit.reason == "" {
		r.noticeLength()
		if r.lastNote = ""; r.turn.Budget.AnswerOnly() {
			r.lastNote = answerOnly
		}
	}
	return end
}

// noticeLength tells the user about a long turn: its steps, tokens and cost.
func (r *run) noticeLength() {
	if !r.guards.user.attended() || r.end.Steps == 0 || r.end.Steps%noticeSteps != 0 || r.end.Steps == r.noticed {
		return
	}
	r.noticed = r.end.Steps
	now := r.turn.Budget.Now()
	used := now.Turn.Used
	text := event.LimitSteps.Words(float64(r.end.Steps)) + " in this turn so far, " + event.LimitTokens.Words(used[event.LimitTokens])
	if cost := used[event.LimitCost]; cost > 0 && now.Unpriced == 0 {
		text += ", " + event.LimitCost.Words(cost)
	}
	r.out.preview(event.Notice{Text: text + "."})
}

// orLastReply returns end. If a limit or a guard ends the turn and cannot ask a user,
// the model gets one more reply first, without tools.
func (r *run) orLastReply(end ending) ending {
	if r.guards.user.attended() || r.end.Steps == 0 || r.limit.reason != "" {
		return end
	}
	switch end.reason {
	case event.MaxSteps, event.OverBudget, event.AllFailed, event.Repeating:
	default:
		return end
	}
	why := stoppedBy(end)
	r.limit, r.input.note, r.lastNote = end, "", strings.ToUpper(why[:1])+why[1:]+"."+lastReply
	r.turn.Budget.Grace(lastReplyTime)
	return ending{}
}

// stoppedBy names the limit or the guard that ended a turn with end, as a clause for the model.
func stoppedBy(end ending) string {
	if end.reason == event.MaxSteps {
		return "the turn has reached its step limit"
	}
	return "the turn is " + phrase.OneLine(end.err, 4*maxArgument)
}

// endLastReply returns how the turn ends after a reply without tools, whose own ending
// is end, and why its calls do not run.
func (r *run) endLastReply(ctx context.Context, end ending, notRun string, calls bool) (ending, string) {
	refusal := "not run: " + stoppedBy(r.limit)
	switch {
	case r.limit.reason == "" && calls && end.reason == "":
		return ending{event.MaxSteps, "stopped: the model called tools, but a turn may make no steps with tools", "Allow steps with --max-steps or /budget steps=N."}, notRunAnswer
	case r.limit.reason == "":
		return end, notRun
	case timeUp(ctx):
		r.limit.err += "; the last answer took too long"
	case end.reason == event.UserInterrupt, end.reason == event.LogError:
		return end, notRun
	case end.reason == event.ProviderError:
		r.limit.err += "; the last answer failed: " + end.err
	}
	return r.limit, refusal
}

// stopCause is why a context was canceled, if not by the user.
type stopCause string

// errTimeUp is the cause of a time limit.
const errTimeUp stopCause = "the turn reached its time limit"

func (c stopCause) Error() string { return string(c) }

// withTimeLimit returns a context that ends with user or at a time limit, and the
// function that releases it.
func (r *run) withTimeLimit(user context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(user)
	var timer sync.WaitGroup
	timer.Go(func() {
		if r.turn.Budget.TimeUp(ctx) {
			cancel(errTimeUp)
		}
	})
	return ctx, func() { cancel(nil); timer.Wait() }
}

// timeUp reports whether a time limit canceled ctx.
func timeUp(ctx context.Context) bool { return context.Cause(ctx) == error(errTimeUp) }

// orTimeUp returns end, the ending after an interrupt. If a time limit was the
// interrupt, the next step handles that.
func (r *run) orTimeUp(ctx context.Context, end ending) ending {
	if !timeUp(ctx) || end.reason != event.UserInterrupt {
		return end
	}
	r.input.note = r.conv.continuation()
	return ending{}
}

// interrupted says who interrupted a call.
func interrupted(ctx context.Context) string {
	if timeUp(ctx) {
		return "interrupted at the time limit of the turn"
	}
	return interruptedByUser
}

// notRunStopped is the result of a call that did not run before ctx ended.
func notRunStopped(ctx context.Context) string {
	if timeUp(ctx) {
		return "not run: " + errTimeUp.Error()
	}
	return "not run: the user interrupted the turn"
}
