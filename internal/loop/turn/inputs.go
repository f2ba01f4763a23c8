package turn

import (
	"context"
	"math/rand/v2"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/standing"
	"agent/internal/tools"
)

// Models chooses the model. The user may change it while a turn runs.
type Models interface {
	// Current returns the model of the next request.
	Current() Model
	// Announce emits the model, unless the log has it already. It returns an error
	// of the log.
	Announce() error
	// Update replaces the current model with the result of change, and announces what
	// the log does not have.
	Update(change func(Model) Model)
}

// Permissions decide which calls may run.
type Permissions interface {
	// Mode returns the permission mode.
	Mode() event.Mode
	// Judge returns whether a call is allowed, denied or needs approval.
	Judge(context.Context, tools.Call) policy.Verdict
	// JudgeRerun returns the verdict on running a command a second time with access, after
	// its sandbox made it fail.
	JudgeRerun(ctx context.Context, c tools.Call, access tools.Access) policy.Verdict
	// Describe returns what a standing permission covers, in words.
	Describe(standing.Grant) string
	// NoteSource records that the model has read content of a host or server.
	NoteSource(source string)
}

// Approver asks the user.
type Approver interface {
	// Approve waits for the answer or the end of ctx, whose error it returns. If the
	// answer is Always, the offer and those in its With become standing permissions,
	// which it returns for the log.
	Approve(ctx context.Context, ask event.Ask, offer standing.Grant) (event.Answer, *standing.Grant, error)
}

// Inbox holds messages that the model receives at the beginning of its next step.
// Each method returns the messages since its previous call.
type Inbox interface {
	// Prompts returns the messages that the user sent to steer the turn.
	Prompts() []event.Prompt
	// Commands returns the finished commands that the user typed, until their
	// ShellOutputSent is emitted.
	Commands() []UserCommand
	// News returns notes of the program itself.
	News() []string
}

// Secrets replaces secrets by placeholders.
type Secrets interface {
	// Text returns a text without its secrets.
	Text(string) string
	// Message returns a message without its secrets. It does not change m.
	Message(m llm.Message) llm.Message
}

// noSecrets is used if secrets are not replaced.
type noSecrets struct{}

func (noSecrets) Text(s string) string              { return s }
func (noSecrets) Message(m llm.Message) llm.Message { return m }

// Evidence records the checks and edits of a turn.
type Evidence interface {
	// End returns the evidence of the turn, nil if there is none.
	End() *event.Evidence
}

// UserCommand is a command that the user typed.
type UserCommand struct {
	ID      string
	Message llm.Message // the command and its output, for the model
}

// Limits bound a turn. A zero field is its default.
type Limits struct {
	// ReplyBytes limits each reply: text, thinking and tool arguments together;
	// llm.MaxReplyBytes.
	ReplyBytes int
	// Silence is how long a reply may send nothing before a notice says that the
	// connection is alive; five minutes.
	Silence time.Duration
	// Fixed is set if the user cannot change the limits. No hint then says how to.
	Fixed bool
}

const (
	// DefaultMaxSteps is how many steps a turn may make by default before the user is asked
	// whether to continue. Without a user, the model then gives its last answer; the default
	// applies only if no other limit does.
	DefaultMaxSteps = 500
	// DelegateMaxSteps is the default of a delegate.
	DelegateMaxSteps = 50
	// noticeSteps is after how many steps of a turn the user gets a notice.
	noticeSteps = 100
)

// Clock supplies time and randomness to a turn. A nil field means the real one.
type Clock struct {
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error // returns when d has passed or ctx ends
	Rand  func() float64                                   // in [0, 1), varies the waits before retries
}

// WithDefaults returns c with the real functions in place of nil.
func (c Clock) WithDefaults() Clock {
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
