package turn

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

const (
	// maxFailing is the number of consecutive steps in which every call may fail.
	maxFailing = 3
	// maxRepeats is how often the same calls with the same results may be made in a
	// row before the user is asked: by one step, or by a cycle of steps.
	maxRepeats = 3
	// maxCycle is the longest recognized cycle, in steps: A-B-C-A-B-C.
	maxCycle = 3
)

// guards end a turn that makes no progress: too many steps, the same calls over
// and over, or only failed calls.
type guards struct {
	user    confirmer
	every   int                 // steps between two confirmations
	allowed int                 // steps until the next confirmation
	failing int                 // consecutive steps whose calls all failed
	recent  [][sha256.Size]byte // hashes of the calls and results of the last steps
}

func newGuards(user confirmer, maxSteps int) *guards {
	every := cmp.Or(maxSteps, HeadlessMaxSteps)
	if user.attended() {
		every = cmp.Or(maxSteps, DefaultMaxSteps)
	}
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
	length := g.cycle(calls, results)
	if length == 0 {
		return ending{}
	}
	g.recent = nil
	did := fmt.Sprintf("made the same call %d times, with the same result", maxRepeats)
	if length > 1 {
		did = fmt.Sprintf("repeated the same %d steps %d times, with the same results", length, maxRepeats)
	}
	return g.user.confirm(ctx, event.StepsAsk, "The model "+did+". Continue?", "the model may be in a loop",
		ending{event.Repeating, "stopped: the model " + did, "Tell the model what to do differently."})
}

// cycle adds a step. It returns the length of the cycle of steps that the last steps
// have repeated maxRepeats times; 0 if there is none.
func (g *guards) cycle(calls, results []llm.Message) int {
	h := sha256.New()
	for i, c := range calls {
		fmt.Fprintf(h, "%q %q %q\n", c.Name, c.Input, results[i].Text)
	}
	g.recent = append(g.recent, [sha256.Size]byte(h.Sum(nil)))
	g.recent = g.recent[max(0, len(g.recent)-maxCycle*maxRepeats):]
	for length := 1; length <= maxCycle; length++ {
		first := len(g.recent) - length*maxRepeats
		if first >= 0 && slices.Equal(g.recent[first:len(g.recent)-length], g.recent[first+length:]) {
			return length
		}
	}
	return 0
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
