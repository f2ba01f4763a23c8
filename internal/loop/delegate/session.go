package delegate

import (
	"context"

	"agent/internal/loop/budget"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

// Host is the agent that delegates. Its methods are safe for concurrent use.
type Host interface {
	// Emit records and reports an event of the parent session.
	Emit(event.Event) error
	// Model returns the current model of the parent.
	Model() turn.Model
	// Permissions returns the permissions of the parent for a workspace with these
	// paths. Their mode is at most as permissive as widest; an empty widest is the
	// parent's mode.
	Permissions(widest event.Mode, paths policy.Paths) turn.Permissions
	// Approver returns an approver that asks the user on behalf of a delegate; nil if
	// there is no user.
	Approver(d Label) turn.Approver
	// Budget returns the budget that the parent and all of its delegates share.
	Budget() *budget.Account
	// Outputs returns the store of results that are too long for the model; nil if none
	// are stored.
	Outputs() turn.Outputs
	// Apply judges a call in a mode at most as permissive as widest, asks the user if
	// it needs approval, and runs it. The title names the delegate that wants it.
	Apply(ctx context.Context, d Label, widest event.Mode, call tools.Call) (tools.Result, error)
}

// Label names a delegate: "explore 2".
type Label struct {
	Name string // of the agent
	ID   int
}

// Task is the task of a delegate.
type Task struct {
	Label
	Agent    Agent
	Prompt   string
	Model    string   // replaces that of the agent; may be empty
	Tools    []string // limits those of the agent; nil for no limit
	MaxSteps int      // replaces that of the agent; 0 for no change
	Worktree bool
}

// Session is a delegate that is ready to run. It is a loop.Agent with its log and its
// workspace.
type Session interface {
	// Run is loop.Agent.Run.
	Run(ctx context.Context, commands <-chan event.Command, events chan<- event.Event)
	// Info returns the fields of the DelegateStart that the launch has determined:
	// model, session, directory.
	Info() event.DelegateStart
	// Finish is called after Run, with the reason why the last turn ended; it is empty
	// if no turn ran. Finish applies the changes of a worktree, if there are any and
	// the work was not interrupted. It returns a note about them for the model, and the
	// file with the transcript; both may be empty. It releases everything.
	Finish(ctx context.Context, reason event.Reason) (note, transcript string, changes []tools.Change)
}

// Launch prepares the session of a delegate of host. An error is text for the model.
type Launch func(ctx context.Context, host Host, t Task) (Session, error)
