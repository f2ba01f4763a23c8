package loop

import (
	"context"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/delegate"
	"agent/internal/loop/event"
	"agent/internal/loop/part"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
	"agent/internal/loop/turn"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// Options configure an Agent.
type Options struct {
	// Log receives durable events; nil saves no session. If it has records, the
	// agent resumes their session. The agent does not close it.
	Log   *history.Log
	Draft event.Draft // saved with the session
	// Notices are shown to the user as they arrive, while Run runs.
	Notices []<-chan string
	// Listen gets every event before the front end does, in the same order. It must not
	// block and not change the event. It may be nil.
	Listen func(event.Event)
	Clock  turn.Clock // functions that are nil are the real ones

	Models ModelOptions
	Prompt PromptOptions
	Schema *turn.Schema // of the last answer of a turn; may be nil
	Limits turn.Limits
	// TurnBudget and SessionBudget limit each turn and the session. Both may be nil.
	TurnBudget, SessionBudget event.Budget

	Permissions PermissionOptions
	Tools       []tools.Tool // the agent adds todo, ask and present_plan
	// Connected are further tools, which are known only after a while. It may be nil.
	Connected Connected
	// Interceptors act around every call, also those of commands that the user types.
	Interceptors tools.Interceptors
	Workspace    WorkspaceOptions
	Hooks        Hooks         // the commands of the user at events; nil for none
	Evidence     turn.Evidence // fed by one of the Interceptors; nil for none

	// Delegates are the delegates of the session, which belong to the agent from now
	// on. It offers the model their tool, if there is an agent to start. Nil for none.
	Delegates *delegate.Pool
	Delegate  DelegateOptions
}

// Connected are tools of other programs, such as MCP servers.
type Connected interface {
	// Offer returns the tools that a model with that context window in tokens is offered
	// from the first request of the session on. It may wait. The agent calls it until ctx
	// has not ended, and keeps the answer.
	Offer(ctx context.Context, window int) []tools.Tool
	// Callable returns all tools that can be called now, also those that are not offered.
	Callable() []tools.Tool
	// Fixed returns tools that stand for all others, and that can be called even if they are
	// not offered: a model may know them from an earlier run of the session.
	Fixed() []tools.Tool
}

// WorkspaceOptions are what tools and commands share.
type WorkspaceOptions struct {
	Ledger *workspace.Ledger // filled by the agent for Tools; may be nil
	Jobs   Jobs              // background jobs; nil if there can be none
	// Shell prepares a command that the user typed. Join is set if its output
	// becomes part of the conversation. Nil if commands cannot be run.
	Shell func(line string, join bool) (tools.Call, error)
	Undo  Undo // of file changes
}

// ModelOptions are the models of an agent.
type ModelOptions struct {
	Current turn.Model // at the start
	// Find resolves the model of a SetModel.
	Find func(name, effort string) (turn.Model, error)
	// Summary is the name of the model that summarizes conversations, PROVIDER/NAME;
	// empty for the model of the session.
	Summary string
	// Small is the name of the model that writes the titles of sessions,
	// PROVIDER/NAME; empty if the title is the first prompt.
	Small string
	// WebSearch is set if the web search of the provider is wanted: the first turn asks for
	// approval, unless a rule decides.
	WebSearch bool
	// Offer selects the tools that a model with that name and context window is
	// offered. If it is nil, every model is offered all.
	Offer func(model string, window int, all []llm.ToolSpec) []llm.ToolSpec
}

// PromptOptions select what the model gets in addition to the conversation, and which
// secrets are removed.
type PromptOptions struct {
	// Secrets replaces the secrets in everything that is sent to a model or stored; nil
	// if they are kept.
	Secrets Secrets
	// System replaces the system prompt of the program if it is not empty.
	System       string
	AppendSystem string // added to the system prompt; may be empty
	// Instructions returns the instruction files in use and their text, which ends the
	// system prompt. Window is the context window in tokens, 0 if unknown. It may be
	// nil.
	Instructions func(window int) (text string, files []event.InstructionFile)
	// InstructionNotes returns notes for the model with the instructions of the
	// directories that tools have touched since its previous call, and notices for the
	// user. It may be nil.
	InstructionNotes func() (notes, notices []string)
	// Attach reads the resources of MCP servers that a prompt mentions: see event.Prompt. A
	// Source of its result names the server. It may be nil.
	Attach func(ctx context.Context, mentions []string) []tools.Attachment
	// Situation describes the environment to a model with a context window of window
	// tokens. Earlier holds the descriptions in the session; if there are any, only
	// changes are described. It is called at the first turn and may be nil.
	Situation func(ctx context.Context, window int, mode event.Mode, earlier []string) string
}

// PermissionOptions determine which calls need approval.
type PermissionOptions struct {
	Mode event.Mode
	// Modes are the modes that the user may choose; nil for all.
	Modes []event.Mode
	// KeepSettings is set for a front end that may exit after each command. The session is
	// then saved once the user has set its mode or its model, even without a prompt. A
	// resumed session starts with its last mode. Once it has a prompt, ModeAll is an
	// exception: the user has to choose it again.
	KeepSettings bool
	// Attended is set if a user answers questions. Otherwise calls that need
	// approval are denied, and standing permissions do not apply.
	Attended bool
	Paths    policy.Paths // decide which paths are protected
	Rules    []rule.Rule  // configured rules
	// Sandbox returns the sandbox of commands, and a notice for the user if it is
	// incomplete. It may wait for the answer. Nil means that Paths holds the sandbox.
	Sandbox func() (policy.Sandbox, string)
	// Remembered are the standing permissions of the project, which apply in every
	// session in the workspace. Remember adds one; Forget removes one. Both may be nil.
	Remembered       []standing.Grant
	Remember, Forget func(standing.Grant) error
	// ProjectFile is the file with the permissions of the project, for display; may be
	// empty.
	ProjectFile string
	// ProjectRules are the rules of the project, which come after Rules. ForgetRule
	// removes one of them; it may be nil.
	ProjectRules []rule.Rule
	ForgetRule   func(rule.Rule) error
	Forked       bool // the session is a new fork
	// Key returns the key that seals standing permissions in the log. Without a key
	// they end when the program exits.
	Key func() ([]byte, error)
}

// Hooks are the commands of the user that act on a session.
type Hooks interface {
	// Begin starts the hooks of the beginning of the session and does not wait for them.
	// Problems of hooks, and hooks that are slow, are passed to emit until the agent has
	// ended.
	Begin(emit func(event.Event))
	// Prompt and Ended are those of turn.Hooks.
	Prompt(ctx context.Context, text string) (note, blocked string)
	Ended(ctx context.Context, reason event.Reason, answer string, continued bool) (more string)
}

// DelegateOptions are those of an agent that is a delegate. The zero value is for a main
// agent.
type DelegateOptions struct {
	// Parent is the agent for which this one works as the delegate Label. Its user
	// answers questions, its permissions apply as far as Mode allows, and its budget
	// counts what this one uses.
	Parent delegate.Host
	Label  delegate.Label
	// Only are the names of the tools that the agent has, of Tools and its own; nil for
	// all.
	Only []string
	// Schemas are tools with which those of the agent share their schemas: see
	// tools.ShareSchema.
	Schemas []tools.Tool
}

// Add adds what the parts of the session add to the agent. It must be called at most once.
func (o *Options) Add(s part.Sum) {
	o.Tools, o.Interceptors, o.Listen = s.Tools, s.Interceptors, s.Listen
	o.Prompt.Instructions, o.Prompt.InstructionNotes = s.Instructions, s.Notes
	o.Notices = append(o.Notices, s.Notices...)
}
