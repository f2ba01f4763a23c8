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
	// maxFailing is how many steps in a row may have nothing but failed tools.
	maxFailing = 3
	// maxRepeats is how many steps in a row may make the same calls with the same
	// results.
	maxRepeats = 3
)

// guards end a turn that does not advance: one with too many steps, with the same
// calls again and again, or with nothing but failed calls.
type guards struct {
	user    confirmer
	every   int    // steps after which the user is asked
	allowed int    // steps until the user is asked next
	failing int    // steps in a row whose calls all failed
	last    string // the calls of the last step, with their results
	same    int    // steps in a row with these calls and results
}

func newGuards(user confirmer, maxSteps int) *guards {
	every := cmp.Or(maxSteps, DefaultMaxSteps)
	return &guards{user: user, every: every, allowed: every}
}

// beforeStep is the step limit.
func (g *guards) beforeStep(ctx context.Context, steps int) ending {
	if steps < g.allowed {
		return ending{}
	}
	why := fmt.Sprintf("a turn stops every %d steps (--max-steps)", g.every)
	end := g.user.confirm(ctx, event.StepsAsk, fmt.Sprintf("%d steps so far. Go on?", steps), why,
		ending{event.MaxSteps, fmt.Sprintf("stopped after %d steps, the limit of a turn", steps),
			"say \"go on\" to continue, or raise the limit with --max-steps"})
	if end.reason == "" {
		g.allowed += g.every
	}
	return end
}

// afterCalls judges the results of a step; worked says that a call did what it
// should.
func (g *guards) afterCalls(ctx context.Context, calls, results []llm.Message, worked bool) ending {
	g.failing++
	if worked {
		g.failing = 0
	}
	if g.failing > maxFailing {
		return ending{event.AllFailed, fmt.Sprintf("stopped: every tool call of %d steps in a row failed", g.failing), "say what to do differently, or \"go on\""}
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
	question := fmt.Sprintf("The model made the same call %d times, with the same result. Go on?", maxRepeats)
	return g.user.confirm(ctx, event.StepsAsk, question, "it may go round in a circle",
		ending{event.Repeating, fmt.Sprintf("stopped: the model made the same call %d times, with the same result", maxRepeats), "say what to do differently, or \"go on\""})
}

// confirmer asks the user whether the turn may do something. Without a user it
// may not.
type confirmer struct{ approver Approver }

// attended reports whether there is a user.
func (c confirmer) attended() bool { return c.approver != nil }

// confirm asks the question id and waits for the answer. It returns how the turn
// ends: with rejected if the user does not approve.
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
