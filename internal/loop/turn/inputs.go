package turn

import (
	"context"
	"math/rand/v2"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// Models is the choice of the model. The user may change it while a turn runs.
type Models interface {
	// Current returns the model of the next request.
	Current() Model
	// Announce emits the model, unless the log has it already. Its error is that
	// of the log.
	Announce() error
	// Confirmed notes that the user approved the Confirm of the model: from then
	// on Current returns it without one.
	Confirmed()
}

// Permissions decide which calls may run.
type Permissions interface {
	// Mode returns the permission mode.
	Mode() event.Mode
	// Judge returns whether a call is allowed, denied or needs approval.
	Judge(context.Context, tools.Call) policy.Verdict
	// Describe returns what a standing permission covers, in words.
	Describe(policy.Scope) string
}

// Approver asks the user.
type Approver interface {
	// Approve waits for the answer. Its error is that of ctx. The answer Always
	// makes the offer a standing permission, which is returned for the log.
	Approve(ctx context.Context, ask event.Ask, offer policy.Grant) (event.Answer, *policy.Grant, error)
}

// Inbox is what the model gets at the beginning of its next step, besides the
// results of its calls. Each method returns what came since its last call.
type Inbox interface {
	// Prompts returns the messages that the user sent to steer the turn.
	Prompts() []event.Prompt
	// Commands returns the commands that the user typed and that have ended. They
	// are returned until their ShellTold is emitted.
	Commands() []UserCommand
	// News returns the messages of this program.
	News() []string
}

// UserCommand is a command that the user typed.
type UserCommand struct {
	ID      string
	Message llm.Message // the command and its output, for the model
}

// Limits bound a turn. A zero field is its default.
type Limits struct {
	Steps int // after which the user is asked whether to continue; DefaultMaxSteps
	// ReplyBytes limits each reply: text, thinking and tool arguments together;
	// llm.MaxReplyBytes.
	ReplyBytes int
	// Silence is how long a reply may bring nothing before the user is shown that
	// its connection is alive all the same; five minutes.
	Silence time.Duration
}

// DefaultMaxSteps is the default of Limits.Steps.
const DefaultMaxSteps = 50

// Clock is the time of a turn. A nil field is the real one.
type Clock struct {
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error // until d passed or ctx ended
	Rand  func() float64                                   // in [0, 1), spreads retries
}

// OrReal returns c with the real functions in place of nil.
func (c Clock) OrReal() Clock {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.Rand == nil {
		c.Rand = rand.Float64
	}
	return c
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
