package turn

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

const (
	// maxFailing is the number of consecutive steps in which every call may fail.
	maxFailing = 3
	// maxRepeats is the number of consecutive steps with the same calls and results
	// after which the user is asked.
	maxRepeats = 3
)

// guards end a turn that makes no progress: too many steps, the same calls over
// and over, or only failed calls.
type guards struct {
	user    confirmer
	every   int    // steps between two confirmations
	allowed int    // steps until the next confirmation
	failing int    // consecutive steps whose calls all failed
	last    string // calls and results of the last step
	same    int    // consecutive steps equal to last
}

func newGuards(user confirmer, maxSteps int) *guards {
	every := cmp.Or(maxSteps, DefaultMaxSteps)
	return &guards{user: user, every: every, allowed: every}
}

// beforeStep enforces the step limit.
func (g *guards) beforeStep(ctx context.Context, steps int) ending {
	if steps < g.allowed {
		return ending{}
	}
	why := fmt.Sprintf("a turn pauses every %d steps (--max-steps)", g.every)
	end := g.user.confirm(ctx, event.StepsAsk, fmt.Sprintf("%d steps so far. Continue?", steps), why,
		ending{event.MaxSteps, fmt.Sprintf("stopped after %d steps, the limit of one turn", steps),
			"Send a message to continue, or raise the limit with --max-steps."})
	if end.reason == "" {
		g.allowed += g.every
	}
	return end
}

// afterCalls checks the calls and results of a step. Worked is set if at least one
// call ran.
func (g *guards) afterCalls(ctx context.Context, calls, results []llm.Message, worked bool) ending {
	g.failing++
	if worked {
		g.failing = 0
	}
	if g.failing > maxFailing {
		return ending{event.AllFailed, fmt.Sprintf("stopped: every tool call in %d consecutive steps failed", g.failing), "Tell the model what to do differently."}
	}
	var b strings.Builder
	for i, c := range calls {
		fmt.Fprintf(&b, "%q %q %q\n", c.Name, c.Input, results[i].Text)
	}
	if b.String() != g.last {
		g.last, g.same = b.String(), 0
	}
	if g.same++; g.same < maxRepeats {
		return ending{}
	}
	g.same = 0
	question := fmt.Sprintf("The model made the same call %d times, with the same result. Continue?", maxRepeats)
	return g.user.confirm(ctx, event.StepsAsk, question, "the model may be in a loop",
		ending{event.Repeating, fmt.Sprintf("stopped: the model made the same call %d times, with the same result", maxRepeats), "Tell the model what to do differently."})
}

// confirmer asks the user to confirm something about the turn. Without a user the
// answer is no.
type confirmer struct{ approver Approver }

// attended reports whether there is a user.
func (c confirmer) attended() bool { return c.approver != nil }

// confirm asks a question and waits for the answer. It returns the zero ending if
// the user approves, rejected if not.
func (c confirmer) confirm(ctx context.Context, id, question, why string, rejected ending) ending {
	if !c.attended() {
		return rejected
	}
	answer, _, err := c.approver.Approve(ctx, event.Ask{ID: id, Title: question, Why: why}, policy.Grant{})
	switch {
	case err != nil:
		return ending{reason: event.UserInterrupt}
	case answer.Decision == event.Refuse:
		return rejected
	}
	return ending{}
}
