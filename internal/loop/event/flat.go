package event

import (
	"strings"
	"time"
)

// Target is something that a tool call acts on: {"path", "a/b.go"},
// {"command", "make"}, {"host", "example.org"}, {"mcp", "github/create_issue"}.
type Target struct {
	Kind  TargetKind `json:"kind"`
	Value string     `json:"value"`
	// Dir is the absolute directory in which a command runs; empty for other kinds.
	Dir string `json:"dir,omitempty"`
	// Input are the arguments of an MCP tool as indented JSON; empty for other kinds, and in
	// a ToolStart.
	Input string `json:"input,omitempty"`
}

// TargetKind is the kind of a Target.
type TargetKind string

// The kinds of target.
const (
	PathTarget    TargetKind = "path" // in the workspace, with slashes
	CommandTarget TargetKind = "command"
	HostTarget    TargetKind = "host"
	MCPTarget     TargetKind = "mcp" // a tool of an MCP server: "server/tool"
)

// IsMCPTool reports whether a tool of the model belongs to MCP servers. These tools come
// after all others.
func IsMCPTool(name string) bool {
	return strings.HasPrefix(name, "mcp__") || name == "mcp_call" || name == "mcp_resource" || name == "tool_search"
}

// Effect is the kind of effect that a tool call can have.
type Effect string

// The effects of tool calls, from harmless to far-reaching.
const (
	ReadEffect     Effect = "read"
	DelegateEffect Effect = "delegate" // starts a delegate, whose own calls are judged one by one
	WriteEffect    Effect = "write"    // changes files in the workspace
	ExecuteEffect  Effect = "execute"  // runs a command
	NetworkEffect  Effect = "network"  // connects to hosts
)

// Diff is one changed file.
type Diff struct {
	Path    string `json:"path"`
	Unified string `json:"unified"` // hunks of a unified diff with three lines of context, without file headers
	Added   int    `json:"added"`   // lines
	Removed int    `json:"removed"` // lines
	Created bool   `json:"created,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
	// Moved is the other path of a moved file: the new one of a deleted file, otherwise
	// the old one. It is empty if the file is not moved.
	Moved string `json:"moved,omitempty"`
}

// Outcome is how a tool call ended.
type Outcome string

// The outcomes of a tool call.
const (
	OK          Outcome = "ok"
	Failed      Outcome = "error"
	Refused     Outcome = "refused"     // rejected by the user or denied by a rule; it did not run
	Interrupted Outcome = "interrupted" // the turn ended first
	Uncertain   Outcome = "unknown"     // the program exited while it ran
)

// Reason is why a turn ended.
type Reason string

// The reasons for which a turn ends.
const (
	Done          Reason = "done"
	OutOfTokens   Reason = "length"         // the reply reached a token limit
	Filtered      Reason = "content_filter" // the provider or the model refused
	MaxSteps      Reason = "max_steps"      // the step limit
	OverBudget    Reason = "budget"         // the limit of the tokens, cost or time
	AllFailed     Reason = "tools_failed"   // too many steps in which every tool call failed
	Repeating     Reason = "repeating"      // the same calls had the same results too often, or the text repeated itself
	BadAnswer     Reason = "schema"         // the answer does not match the required schema
	UserInterrupt Reason = "interrupted"
	ProviderError Reason = "error"
	LogError      Reason = "log_error" // the session cannot be written
	Blocked       Reason = "blocked"   // a hook blocked the prompt, which was given back
)

// Decision is the user's answer to an Ask.
type Decision string

// The decisions.
const (
	Allow    Decision = "allow"
	Always   Decision = "always" // this call, and all in the Ask's scope in this session
	Refuse   Decision = "refuse"
	Answered Decision = "answer" // to a question with choices
)

// Decisions returns all decisions.
func Decisions() []Decision { return []Decision{Allow, Always, Refuse, Answered} }

// Choice is one answer that a question of the model offers.
type Choice struct {
	Text    string `json:"text"`
	Explain string `json:"explain,omitempty"`
}

// TodoItem is one item of the model's plan.
type TodoItem struct {
	Text  string    `json:"text"`
	State TodoState `json:"state" enum:"pending,active,done"`
}

// TodoState is the progress of a TodoItem.
type TodoState string

// The states of an item.
const (
	TodoPending TodoState = "pending"
	TodoActive  TodoState = "active" // at most one is
	TodoDone    TodoState = "done"
)

// Job is a command in the background.
type Job struct {
	ID    int       `json:"id"`
	Title string    `json:"title"`           // its command, on one line
	State string    `json:"state,omitempty"` // how it ended, in words; empty while it runs
	Began time.Time `json:"began"`
	Lines int64     `json:"lines"` // of output so far
}
