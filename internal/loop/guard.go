package loop

import (
	"context"
	"fmt"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

// maxRepeats is how many steps in a row may make the same calls with the same
// results.
const maxRepeats = 3

// mayGoOn is the step guard: past the limit, the person is asked.
func (t *Turn) mayGoOn(ctx context.Context) bool {
	if t.end.Steps < t.allowed {
		return true
	}
	why := fmt.Sprintf("a turn stops every %d steps (--max-steps)", t.MaxSteps)
	if t.goOn(ctx, event.StepsAsk, fmt.Sprintf("%d steps so far. Go on?", t.end.Steps), why) {
		t.allowed += t.MaxSteps
		return true
	}
	if t.end.Reason == "" {
		t.end.Reason = event.MaxSteps
		t.end.Error = fmt.Sprintf("stopped after %d steps, the limit of a turn", t.end.Steps)
		t.end.Hint = "say \"go on\" to continue, or raise the limit with --max-steps"
	}
	return false
}

// maySend asks the user whether the conversation may be sent where the model is,
// if that needs an approval.
func (t *Turn) maySend(ctx context.Context) bool {
	c := t.Model().Confirm
	if c == nil {
		return true
	}
	if t.goOn(ctx, event.HostAsk, c.Question, c.Why) {
		t.Confirmed()
		return true
	}
	if t.end.Reason == "" {
		t.end.Reason = event.ProviderError
		t.end.Error = "nothing was sent: " + c.Why
		t.end.Hint = "choose another model with /model, or " + c.Remedy
	}
	return false
}

// goOn asks the person whether the turn may go on; where nobody can be asked it
// may not. When the person stops it instead of answering, that is its reason.
func (t *Turn) goOn(ctx context.Context, id, question, why string) bool {
	if t.Approve == nil {
		return false
	}
	answer, _, err := t.Approve(ctx, event.Ask{ID: id, Title: question, Why: why}, policy.Grant{})
	if err != nil {
		t.end.Reason = event.UserInterrupt
		return false
	}
	return answer.Decision != event.Refuse
}

// judgeResults is the guard against steps that only fail.
func (t *Turn) judgeResults(ctx context.Context, ran, worked bool) {
	switch {
	case t.end.Reason != "" || !ran:
		return
	case ctx.Err() != nil:
		t.end.Reason = event.UserInterrupt
	case t.logErr != nil:
		t.end.Reason = event.LogError
	case worked:
		t.failing = 0
	default:
		if t.failing++; t.failing > maxFailing {
			t.end.Reason = event.AllFailed
			t.end.Error = fmt.Sprintf("stopped: every tool call of %d steps in a row failed", t.failing)
			t.end.Hint = "say what to do differently, or \"go on\""
		}
	}
}

// repeats counts steps that make the same calls and get the same results.
type repeats struct {
	last string
	n    int
}

// judgeRepeats is the guard against a model that goes round in a circle.
func (t *Turn) judgeRepeats(ctx context.Context, calls, results []llm.Message) {
	var b strings.Builder
	for i, c := range calls {
		fmt.Fprintf(&b, "%q %q %q\n", c.Name, c.Input, results[i].Text)
	}
	if b.String() != t.repeats.last {
		t.repeats = repeats{last: b.String()}
	}
	if t.repeats.n++; t.repeats.n < maxRepeats {
		return
	}
	t.repeats.n = 0
	if t.goOn(ctx, event.StepsAsk, fmt.Sprintf("The model made the same call %d times, with the same result. Go on?", maxRepeats), "it may go round in a circle") {
		return
	}
	if t.end.Reason == "" {
		t.end.Reason = event.Repeating
		t.end.Error = fmt.Sprintf("stopped: the model made the same call %d times, with the same result", maxRepeats)
		t.end.Hint = "say what to do differently, or \"go on\""
	}
}
