package event

import (
	"time"

	"agent/internal/elicit"
	"agent/internal/llm"
)

// Preview is an Event that is never stored. A durable event that follows makes
// up for one that was missed.
type Preview interface {
	Event
	isPreview()
}

// The previews.
type (
	// Streamed is a piece of the reply that is being streamed.
	Streamed struct {
		Reply string
		Delta llm.Delta
	}
	// Progress is output of a running tool or command.
	Progress struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}
	// Asked requests an Answer of the same ID. The turn waits for it. ToolEnd of
	// that ID, or TurnEnd, withdraws it.
	Asked struct {
		Ask Ask `json:"ask"`
	}
	// AskDone reports that the Asked of that ID was answered or withdrawn.
	AskDone struct {
		ID       string   `json:"id"`
		Decision Decision `json:"decision,omitempty"` // empty if it was withdrawn
	}
	// Retrying reports that a request failed and is retried.
	Retrying struct {
		Attempt int           `json:"attempt"` // the next one, from 2
		Of      int           `json:"of"`      // at most; 0 if time is the limit
		In      time.Duration `json:"in_ns"`   // until the next attempt starts
		Error   string        `json:"error"`
		Hint    string        `json:"hint,omitempty"`
	}
	// RequestDone reports that a request to a model ended. It precedes the events of
	// the reply.
	RequestDone struct {
		Task      RequestTask   `json:"task,omitempty"`
		Model     string        `json:"model"`              // PROVIDER/NAME
		ID        string        `json:"id"`                 // the provider's name for it
		BaseURL   string        `json:"base_url,omitempty"` // without secrets
		MaxTokens int           `json:"max_tokens,omitempty"`
		Start     time.Time     `json:"start"`
		First     time.Duration `json:"first_ns,omitempty"` // until the first delta; 0 if there was none
		Duration  time.Duration `json:"duration_ns"`
		Finish    llm.Reason    `json:"finish,omitempty"` // empty if the reply did not end
		Usage     llm.Usage     `json:"usage,omitzero"`
		Cost      *float64      `json:"cost_usd,omitempty"` // nil if the price is unknown
		ErrorKind llm.ErrorKind `json:"error_kind,omitempty"`
		Error     string        `json:"error,omitempty"`
		// New are the messages since the previous reply. Reply are those of the reply.
		New   []llm.Message `json:"new,omitempty"`
		Reply []llm.Message `json:"reply,omitempty"`
	}
	// JobsNow lists the background jobs, after one of them changed or
	// in reply to ListJobs.
	JobsNow struct {
		Ref
		Jobs []Job `json:"jobs"`
	}
	// Notice is a sentence for the user. It changes nothing. With an ID it answers a
	// command, usually one that failed.
	Notice struct {
		Ref
		Text string `json:"text"`
	}
	// Unsent returns a message that was sent to steer a turn, which ended before
	// the model got it. It belongs in the prompt editor again.
	Unsent struct {
		Text string `json:"text"`
	}
	// NotRun rejects a RunShell. The line belongs in the prompt editor again.
	NotRun struct {
		Line string `json:"line"`
		Join bool   `json:"join,omitempty"`
		Why  string `json:"why"`
	}
	// Opened describes a resumed session as a whole. The front end was started
	// with its last events only. It or Unreadable is the first event of a
	// resumed session; a new session has neither. Events are numbered from 0 as
	// in Rewound.
	Opened struct {
		Events   int          `json:"events"`           // how many the session has
		Prompts  []PastPrompt `json:"prompts"`          // oldest first
		Bounds   []int        `json:"bounds"`           // numbers of the events at which a page may start, ascending
		Cost     float64      `json:"cost_usd"`         // of all steps with a known price, rewound ones included
		Turns    int          `json:"turns"`            // that the user started
		Todo     []TodoItem   `json:"todo,omitempty"`   // this and the following fields are the present state
		Plan     *PlanSet     `json:"plan,omitempty"`   // the newest approved one
		Title    string       `json:"title,omitempty"`  // that the user gave it
		Model    string       `json:"model,omitempty"`  // PROVIDER/NAME
		Effort   string       `json:"effort,omitempty"` // as in ModelSet
		BaseURL  string       `json:"base_url,omitempty"`
		Host     string       `json:"host,omitempty"`
		Mode     string       `json:"mode,omitempty"`     // a Mode
		Problems []string     `json:"problems,omitempty"` // damage that was found, for the user
	}
	// Unreadable takes the place of Opened if the session cannot be read. It has
	// no pages then and cannot be rewound.
	Unreadable struct {
		Why string `json:"why"`
	}
	// Searched reports that a Found has been handled, which ends the search for a
	// model at start. The events of its changes precede it.
	Searched struct{}
	// Summarizing reports that a model writes a summary of the conversation. The
	// Compacted or a Notice that follows ends it.
	Summarizing struct {
		Model string `json:"model"` // PROVIDER/NAME
	}
	// ContextNow lists what fills the context window, in reply to ListContext. If that is
	// not possible, an empty one without an ID follows the Notice that says why.
	ContextNow struct {
		Ref
		Used    int           `json:"used"`   // tokens, estimated
		Window  int           `json:"window"` // tokens; 0 if unknown
		Items   []ContextItem `json:"items"`
		Summary string        `json:"summary,omitempty"`  // the complete text; empty if there is none
		CanUndo bool          `json:"can_undo,omitempty"` // the summary can be undone
	}
	// SandboxNow reports the sandbox of the model's commands, once: before the first
	// command is judged or a ListPermissions is answered. Without this event, commands
	// run unrestricted.
	SandboxNow struct {
		Form SandboxForm `json:"form"`
		Why  string      `json:"why,omitempty"` // for the user: why the form is less than full, and what to do
	}
	// BudgetNow reports what the current or last turn and the session have used, at
	// each step of a session with limits and in reply to SetBudget.
	BudgetNow struct {
		Ref
		Turn     Spent `json:"turn"`
		Session  Spent `json:"session"`
		Unpriced int   `json:"steps_without_price,omitempty"` // of the session
		Reply    bool  `json:"reply,omitempty"`               // to a SetBudget
	}
	// PermissionsNow lists the rules and the standing permissions that apply, in reply
	// to ListPermissions.
	PermissionsNow struct {
		Ref
		Mode        Mode         `json:"mode"`
		Permissions []Permission `json:"permissions,omitempty"`
		File        string       `json:"file,omitempty"` // with the permissions of the project; it may not exist
	}
	// Explained says whether a command would be allowed, need approval or be denied, in
	// reply to ExplainPermission.
	Explained struct {
		Ref
		Lines []string `json:"lines"` // the first one is auto, ask or deny
	}
	// DelegatesNow lists the delegates of the session since the program started,
	// oldest first, after one of them changed or in reply to ListDelegates or StartDelegate.
	DelegatesNow struct {
		Ref
		Delegates []Delegate `json:"delegates"`
	}
	// HookNow reports that the session waits for a hook of the user that has run for a
	// second, and a second time, with Ended, that this hook has ended.
	HookNow struct {
		ID      int           `json:"id"`    // from 1
		Event   string        `json:"event"` // "before_tool"
		Command string        `json:"command"`
		Agent   string        `json:"agent,omitempty"` // number of the delegate that waits for it
		For     time.Duration `json:"for_ns"`          // how long it has run
		Ended   bool          `json:"ended,omitempty"`
	}
	// Delegated is an event of a delegate that is watched.
	Delegated struct {
		ID    int
		Event Event
	}
)

// SandboxForm is how far the sandbox restricts commands.
type SandboxForm string

// The values of SandboxForm.
const (
	SandboxOff     SandboxForm = ""        // turned off by the user
	SandboxMissing SandboxForm = "missing" // the system supports none
	SandboxPartial SandboxForm = "partial" // limits writes and the network, but not reads
	SandboxFull    SandboxForm = "full"
)

// RequestTask is what a request is for, if not for the next reply of a conversation.
type RequestTask string

// The tasks.
const (
	SummaryTask RequestTask = "summary"
	TitleTask   RequestTask = "title"
)

// PastPrompt is an earlier message of the user.
type PastPrompt struct {
	Text    string    `json:"text"`
	Time    time.Time `json:"time"`
	At      int       `json:"at"`                // the number of its event
	Steered bool      `json:"steered,omitempty"` // it steered a running turn
	Changes ChangeSum `json:"changes,omitzero"`  // until the next prompt that began a turn
}

// Permission is a rule, or a standing permission.
type Permission struct {
	ID      string `json:"id"`                // for RemovePermission
	Text    string `json:"text"`              // "deny command: git push", "always allow `make test` in ~/shop"
	Source  string `json:"source"`            // "/home/ann/.config/agent/config.json:12", "--allow", "this session", "this project"
	Granted bool   `json:"granted,omitempty"` // it is a standing permission
	// Removable is set if RemovePermission can remove it.
	Removable bool `json:"removable,omitempty"`
}

// Ask is a question to the user.
type Ask struct {
	ID       string   `json:"id"`               // of the tool call, or one of the IDs below
	Agent    string   `json:"agent,omitempty"`  // the delegate that asks: "explore 2"; empty for the main agent
	Title    string   `json:"title"`            // "edit internal/tui/list.go"
	Tool     string   `json:"tool,omitempty"`   // that is called in effect, if it is not the tool of the call: see EffectiveCall
	Effect   Effect   `json:"effect,omitempty"` // as in ToolStart; empty for a question about the turn
	Targets  []Target `json:"targets,omitempty"`
	Diffs    []Diff   `json:"diffs,omitempty"`    // the changes that the call would make
	Warnings []string `json:"warnings,omitempty"` // to be read before approving
	Why      string   `json:"why,omitempty"`      // the rule that needs approval
	Scope    string   `json:"scope,omitempty"`    // what an Always would cover; empty if it is not offered
	Project  bool     `json:"project,omitempty"`  // Always would also apply in later sessions in the workspace
	Auto     bool     `json:"auto,omitempty"`     // mode auto would allow the call, and the user can choose it
	Reach    Reach    `json:"reach,omitempty"`    // of the command, if it is approved
	// Writes are files and directories outside the workspace that the sandbox lets the
	// command change, if it is approved. A directory, in which it can change all files,
	// ends with a slash.
	Writes []string `json:"writes,omitempty"`
	// Request is set if the model asks for Reach or Writes before the command runs. Reason is
	// why, in the words of the model; it may be empty.
	Request bool   `json:"request,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Address is the address and port to which the command tried to connect before a second run
	// with the network; empty if it is not known.
	Address string `json:"address,omitempty"`
	// Rerun is set if the command has run: approving runs it again, with Reach. If its
	// sandbox probably made it fail, Blocked is the path that it could not write to, or
	// empty if it had no network. If Port is not 0, the command is instead a running job
	// that listens on that port, which only commands of the session can reach. If NotUndoable is
	// not empty, it is why a change of the file at Blocked cannot be undone: "it is larger
	// than 64 MB". Undoes says which changes of the first run are undone before the second one:
	// "a.txt, b.txt and 2 more". Stay says in the same form which stay, and StayWhy why; both may be
	// empty.
	Rerun       bool   `json:"again,omitempty"`
	Blocked     string `json:"blocked,omitempty"`
	NotUndoable string `json:"unkept,omitempty"`
	Port        int    `json:"port,omitempty"`
	Undoes      string `json:"undoes,omitempty"`
	Stay        string `json:"stay,omitempty"`
	StayWhy     string `json:"stay_why,omitempty"`

	// The fields of a question that the model asks, or an MCP server: see Form. The answer
	// to the model is Answered, or Refuse, which leaves the choice to it.
	Question string   `json:"question,omitempty"` // complete; Title has its beginning
	Choices  []Choice `json:"choices,omitempty"`
	Many     bool     `json:"many,omitempty"` // several may be chosen

	// Plan is a plan in Markdown, which the user approves, edits or rejects. Its answer
	// is Allow with the mode to continue in, or Refuse with a comment.
	Plan string `json:"plan,omitempty"`

	// Form is set for a question of an MCP server, while the call runs. About a value, the
	// answer is Answered with Choices or, if the form says so, with the typed text as the Note.
	// To a page, the answer is Allow if the front end opened it or the user opens it. Refuse
	// declines.
	Form *elicit.Form `json:"form,omitempty"`
}

// Reach is what a command may reach beyond the usual sandbox, which has no network. The
// zero value adds nothing.
type Reach string

// The values of Reach.
const (
	ReachNetwork     Reach = "network" // the network of the computer
	ReachAll         Reach = "all"     // everything that the user may: it runs without a sandbox
	ReachNotUndoable Reach = "unkept"  // also files whose changes cannot be undone
	ReachHome        Reach = "home"    // the home directory, which commands that nobody approved do not see
)

// AboutTurn reports whether the question is about the turn and not about a tool
// call.
func (a Ask) AboutTurn() bool { return a.Effect == "" && a.Plan == "" }

// The IDs of the questions about a turn.
const (
	StepsAsk = "steps" // whether a long turn may continue
	TextAsk  = "text"  // whether a model without tool calling may write its calls as text
	HostAsk  = "host"  // whether the conversation may be sent to a host
	// SearchAsk is whether the model may use the web search of its provider.
	SearchAsk = "search"
)

func (Streamed) isEvent()       {}
func (Progress) isEvent()       {}
func (Asked) isEvent()          {}
func (AskDone) isEvent()        {}
func (Retrying) isEvent()       {}
func (RequestDone) isEvent()    {}
func (JobsNow) isEvent()        {}
func (Notice) isEvent()         {}
func (Unsent) isEvent()         {}
func (NotRun) isEvent()         {}
func (Opened) isEvent()         {}
func (Unreadable) isEvent()     {}
func (Searched) isEvent()       {}
func (PermissionsNow) isEvent() {}
func (SandboxNow) isEvent()     {}
func (Explained) isEvent()      {}
func (BudgetNow) isEvent()      {}
func (Summarizing) isEvent()    {}
func (ContextNow) isEvent()     {}
func (DelegatesNow) isEvent()   {}
func (Delegated) isEvent()      {}
func (HookNow) isEvent()        {}
func (UndoPlan) isEvent()       {}
func (ChangesNow) isEvent()     {}

func (Streamed) isPreview()       {}
func (Progress) isPreview()       {}
func (Asked) isPreview()          {}
func (AskDone) isPreview()        {}
func (Retrying) isPreview()       {}
func (RequestDone) isPreview()    {}
func (JobsNow) isPreview()        {}
func (Notice) isPreview()         {}
func (Unsent) isPreview()         {}
func (NotRun) isPreview()         {}
func (Opened) isPreview()         {}
func (Unreadable) isPreview()     {}
func (Searched) isPreview()       {}
func (PermissionsNow) isPreview() {}
func (SandboxNow) isPreview()     {}
func (Explained) isPreview()      {}
func (BudgetNow) isPreview()      {}
func (Summarizing) isPreview()    {}
func (ContextNow) isPreview()     {}
func (DelegatesNow) isPreview()   {}
func (Delegated) isPreview()      {}
func (HookNow) isPreview()        {}
func (UndoPlan) isPreview()       {}
func (ChangesNow) isPreview()     {}
