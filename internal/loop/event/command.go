package event

import (
	"strings"

	"agent/internal/llm"
)

// Command is a request of a front end to a running agent.
type Command interface{ isCommand() }

// Ref is a part of the commands that are answered, and of the events that answer them. The
// sender of a command chooses its ID. The one event that answers the command has the same
// ID: it is a Notice if there is no other answer. Other events have none.
type Ref struct {
	CommandID string `json:"command_id,omitempty"` // empty: no answer is awaited
}

func (r Ref) ref() Ref { return r }

// RefOf returns the Ref of a command or an event; empty if its type has none.
func RefOf(v any) Ref {
	if v, ok := v.(interface{ ref() Ref }); ok {
		return v.ref()
	}
	return Ref{}
}

// The commands.
type (
	// Prompt starts a turn, or steers the running one: the model gets it with its
	// next request.
	Prompt struct {
		Text   string      `json:"text"`
		Images []llm.Image `json:"images,omitempty"`
		// Mentions are resources of MCP servers that the user named in the text, as
		// SERVER:URI: see Resources. They are read without approval, and the model gets them
		// with the prompt. Those of other servers than the connected ones have no effect.
		Mentions []string `json:"mentions,omitempty"`
		// Source is the MCP server that wrote the text; empty for a text of the user.
		Source string `json:"source,omitempty"`
	}
	// Retry starts a turn without a prompt, which sends the conversation again. If the
	// conversation ends with a message of the model, ContinuePrompt is added to it. During a
	// turn it has no effect.
	Retry struct{}
	// Interrupt ends the running turn, if any. A second one kills what the turn
	// still waits for.
	Interrupt struct{}
	// Answer answers the Ask of the same ID. It is dropped if nothing waits for it.
	Answer struct {
		ID       string   `json:"id"`
		Decision Decision `json:"decision"`
		Choices  []int    `json:"choices,omitempty"` // indexes into the Ask's, if the Decision is Answered
		Note     string   `json:"note,omitempty"`    // the user's comment, which the model gets
		Mode     Mode     `json:"mode,omitempty"`    // after an approved plan; empty for ModeAsk
		Text     string   `json:"text,omitempty"`    // the plan as the user edited it; empty if unchanged
		// Hunks divides the changes of the call: with Allow, only the hunks that it accepts
		// are applied, and every other hunk of the Ask is rejected. Empty means all changes.
		// With Refuse, it only carries comments. Always counts as Allow.
		Hunks []HunkAnswer `json:"hunks,omitempty"`
	}
	// ListJobs requests a JobsNow.
	ListJobs struct{ Ref }
	// ListPermissions requests a PermissionsNow.
	ListPermissions struct{ Ref }
	// ExplainPermission requests an Explained about a shell command.
	ExplainPermission struct {
		Ref
		Line string `json:"line"`
	}
	// RemovePermission removes the Permission of that ID. It is answered with a
	// PermissionRemoved, or with a Notice that says why it cannot be removed.
	RemovePermission struct {
		Ref
		ID string `json:"id"`
	}
	// StopJob stops the background command of that ID.
	StopJob struct {
		ID int `json:"id"`
	}
	// Rename gives the session a title. It is answered with a Renamed.
	Rename struct {
		Ref
		Title string `json:"title"`
	}
	// Rewind undoes the end of the conversation: see Rewound, which answers it. During a
	// turn it is rejected with a Notice.
	Rewind struct {
		Ref
		Keep int `json:"keep"`
	}
	// Compact summarizes the conversation in what the model is sent: see Compacted.
	// It runs like a turn, which a TurnEnd closes. During a turn it is rejected with
	// a Notice.
	Compact struct {
		Focus string `json:"focus,omitempty"` // what the summary must keep above all
	}
	// EditContext changes what the model is sent. It is answered with a Compacted. During
	// a turn it is rejected with a Notice.
	EditContext struct {
		Ref
		Step CompactStep `json:"step"`           // CompactEdit, CompactUndo, CompactPin, CompactUnpin or CompactDrop
		Item string      `json:"item,omitempty"` // ID of a ContextItem
		Text string      `json:"text,omitempty"` // the summary of CompactEdit
	}
	// ListContext requests a ContextNow. During a turn it is rejected with a Notice.
	ListContext struct{ Ref }
	// SaveDraft replaces the saved draft.
	SaveDraft struct {
		Draft Draft `json:"draft"`
	}
	// SetMode sets the permission mode, from the next tool call on. It is answered with a
	// ModeSet.
	SetMode struct {
		Ref
		Mode Mode `json:"mode"`
	}
	// SetModel sets the model, from the next step on. It is answered with a ModelSet, or
	// with a Notice that says why the model stays.
	SetModel struct {
		Ref
		Model  string `json:"model"`            // PROVIDER/NAME
		Effort string `json:"effort,omitempty"` // empty for the configured one, DefaultEffort for the model's own
	}
	// SetWebSearch lets the model use the web search of its provider in this session,
	// from the next turn on, or no longer. It is answered with a Notice.
	SetWebSearch struct {
		Ref
		On *bool `json:"on,omitempty"` // nil only requests the Notice
	}
	// SetBudget changes limits, from the next step on. It is answered with a BudgetNow.
	// Without limits it only requests one.
	SetBudget struct {
		Ref
		Session bool   `json:"session,omitempty"` // the limits of the session, not those of each turn
		Limits  Budget `json:"limits,omitempty"`
	}
	// Found names the model that a search during the start found. The agent uses
	// it unless the user has already sent a prompt. Model is empty if none may be
	// used automatically; Notices name the others.
	Found struct {
		Model   string   `json:"model,omitempty"` // PROVIDER/NAME
		Why     string   `json:"why,omitempty"`   // why it was chosen, for the user
		Notices []string `json:"notices,omitempty"`
	}
	// RunShell runs a command that the user typed, without approval and at once,
	// also during a turn. One runs at a time: another is rejected with a NotRun.
	// Interrupt stops it as well.
	RunShell struct {
		Line string `json:"line"`
		Join bool   `json:"join,omitempty"` // its output becomes part of the conversation
	}
	// Finish ends the agent as soon as no turn runs, no prompt waits and no command of
	// the user runs. Commands that arrive before that are still executed.
	Finish struct{}
	// ListDelegates requests a DelegatesNow.
	ListDelegates struct{ Ref }
	// StartDelegate starts a delegate in the background, also during a turn. The model
	// gets its answer as a message. If it has an ID, it is answered with a DelegatesNow
	// that lists the delegate, or with a Notice.
	StartDelegate struct {
		Ref
		Agent  string `json:"agent"` // its name
		Prompt string `json:"prompt"`
	}
	// SteerDelegate sends a message to a running delegate. If it ends before the
	// message is read, the text comes back in an Unsent.
	SteerDelegate struct {
		ID   int    `json:"id"`
		Text string `json:"text"`
	}
	// StopDelegate stops a running delegate.
	StopDelegate struct {
		ID int `json:"id"`
	}
	// DetachDelegate lets a delegate continue in the background: its call gets a result
	// at once, and the model gets the answer as a message.
	DetachDelegate struct {
		ID int `json:"id"`
	}
	// WatchDelegate requests the events of a running delegate, the past ones first, as
	// Delegated. It ends the watching of another one. 0 only does that.
	WatchDelegate struct {
		ID int `json:"id"`
	}
)

// DefaultEffort, as the effort of a SetModel, is the model's own default.
const DefaultEffort = "default"

// IsEmpty reports whether p has neither text nor images.
func (p Prompt) IsEmpty() bool { return p.Text == "" && len(p.Images) == 0 }

func (Prompt) isCommand()            {}
func (Retry) isCommand()             {}
func (Interrupt) isCommand()         {}
func (Answer) isCommand()            {}
func (ListJobs) isCommand()          {}
func (ListPermissions) isCommand()   {}
func (ExplainPermission) isCommand() {}
func (RemovePermission) isCommand()  {}
func (StopJob) isCommand()           {}
func (Rename) isCommand()            {}
func (Rewind) isCommand()            {}
func (Compact) isCommand()           {}
func (EditContext) isCommand()       {}
func (ListContext) isCommand()       {}
func (SaveDraft) isCommand()         {}
func (SetMode) isCommand()           {}
func (SetWebSearch) isCommand()      {}
func (SetModel) isCommand()          {}
func (SetBudget) isCommand()         {}
func (Found) isCommand()             {}
func (RunShell) isCommand()          {}
func (ListDelegates) isCommand()     {}
func (StartDelegate) isCommand()     {}
func (SteerDelegate) isCommand()     {}
func (StopDelegate) isCommand()      {}
func (DetachDelegate) isCommand()    {}
func (WatchDelegate) isCommand()     {}
func (PlanUndo) isCommand()          {}
func (ApplyUndo) isCommand()         {}
func (ListChanges) isCommand()       {}
func (UndoChanges) isCommand()       {}
func (Finish) isCommand()            {}

// The sentences that end the hint of a turn after which an empty prompt does
// something. A front end without a keyboard leaves them out: see WithoutKeys.
const (
	HintRetry    = "Press Enter to retry."
	HintContinue = "Press Enter to continue."
)

// Hints for a conversation that is too long for the model, or may be.
const (
	HintTooLong = "Shorten the context with /compact, remove messages with /rewind, start a new session with /new, or choose a model with a larger context window."
	HintShorten = "If the conversation is too long for the model, shorten it with /compact."
)

// WithoutKeys returns a hint without the sentence that names a key.
func WithoutKeys(hint string) string {
	for _, sentence := range []string{HintRetry, HintContinue} {
		hint = strings.TrimSpace(strings.TrimSuffix(hint, sentence))
	}
	return hint
}
