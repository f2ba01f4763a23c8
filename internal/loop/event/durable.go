package event

import (
	"encoding/json"
	"time"

	"agent/internal/llm"
)

// Event is what a running agent reports to its front end: a Durable or a
// Preview. Both arrive in one ordered queue.
type Event interface{ isEvent() }

// Durable is an Event that is stored: a record of the session log, a line of
// stream-json and an input of every front end. It is in the log before it is
// sent. Its implementations are pointers to the structs of this file.
type Durable interface {
	Event
	meta() *Meta
}

// Meta is what all durable events have.
type Meta struct {
	Agent string    `json:"agent,omitempty"` // ID of a delegate; empty for the main agent
	Time  time.Time `json:"time"`
}

func (*Meta) isEvent()      {}
func (m *Meta) meta() *Meta { return m }

// MetaOf returns the Meta of e. It belongs to e.
func MetaOf(e Durable) *Meta { return e.meta() }

// The durable events of a conversation.
type (
	// UserSaid is a message of the user. It starts a turn, unless it steered one
	// that was running.
	UserSaid struct {
		Meta
		Text    string      `json:"text"`
		Images  []llm.Image `json:"images,omitempty"`
		Steered bool        `json:"steered,omitempty"`
		// Auto marks a message that the program sent for the user: to continue a
		// truncated answer, or to repeat one that does not match its schema.
		Auto bool `json:"auto,omitempty"`
		// Situation marks an Auto message that describes the environment.
		Situation bool `json:"situation,omitempty"`
		// Source is the MCP server that sent the text: as a prompt, or as a resource, which
		// is Auto and begins with a line of the program. It is empty for other messages.
		Source string `json:"source,omitempty"`
	}
	// Partial is the text that a streaming message got since its last Partial.
	// The finished message of the same reply and kind replaces all of them.
	Partial struct {
		Meta
		Reply string   `json:"reply"`
		Kind  llm.Kind `json:"kind"`
		Text  string   `json:"text"`
	}
	// MessageDone is a finished message of the model: Assistant, Thinking or
	// ToolCall.
	MessageDone struct {
		Meta
		Message llm.Message `json:"message"`
	}
	// StepEnd closes one reply of the model and the results of its calls.
	StepEnd struct {
		Meta
		Reply  string     `json:"reply"`
		Model  string     `json:"model"` // PROVIDER/NAME
		Finish llm.Reason `json:"finish"`
		Usage  llm.Usage  `json:"usage"`
		Cost   *float64   `json:"cost_usd,omitempty"` // nil if the price is unknown
		Lost   int        `json:"lost,omitempty"`     // events of the stream that could not be read
	}
	// TurnEnd closes a turn.
	TurnEnd struct {
		Meta
		Reason Reason    `json:"reason"`
		Error  string    `json:"error,omitempty"` // one line for the user
		Hint   string    `json:"hint,omitempty"`  // what the user can do about it
		Steps  int       `json:"steps"`
		Usage  llm.Usage `json:"usage"`
		Cost   *float64  `json:"cost_usd,omitempty"` // nil if the price of a step is unknown
		Cut    bool      `json:"cut,omitempty"`      // the answer was truncated: ContinuePrompt continues it
		// Unanswered is set if the turn was interrupted while the model's reply was
		// outstanding: Retry requests it again.
		Unanswered bool          `json:"unanswered,omitempty"`
		Duration   time.Duration `json:"duration_ns"`
		Evidence   *Evidence     `json:"evidence,omitempty"` // nil if nothing was checked or edited, and in old logs
	}
)

// The durable events of tool calls.
type (
	// Decided is the answer to an Asked.
	Decided struct {
		Meta
		ID       string   `json:"id"` // of the tool call
		Decision Decision `json:"decision"`
		Scope    string   `json:"scope,omitempty"`   // what an Always covers, in words
		Project  bool     `json:"project,omitempty"` // the Always also applies in later sessions in the workspace
		Chosen   []string `json:"chosen,omitempty"`  // the texts of the chosen choices
		Note     string   `json:"note,omitempty"`    // the user's comment
		// Grant is the standing permission of an Always. It is valid only in the
		// session whose seal it carries.
		Grant *Grant `json:"grant,omitempty"`
		// More are the permissions that were given together with Grant.
		More []Grant `json:"more,omitempty"`
		// Rerun is set if the decision is about a second run of a command. It is what the
		// second run may reach if the user approved it.
		Rerun Reach `json:"again,omitempty"`
		// Hunks says what the user approved, for every Diff of the call, if they decided on
		// its hunks.
		Hunks []HunkDecision `json:"hunks,omitempty"`
	}
	// ToolStart announces that a tool runs. It is written before the tool starts.
	// If the tool does more than read, it is synced to disk first.
	ToolStart struct {
		Meta
		ID      string   `json:"id"` // of the tool call
		Title   string   `json:"title"`
		Effect  Effect   `json:"effect"`
		Targets []Target `json:"targets,omitempty"`
	}
	// ToolEnd is the one result of a tool call, whether the tool ran or not.
	ToolEnd struct {
		Meta
		Result   llm.Message   `json:"result"` // a ToolResult
		Title    string        `json:"title"`
		Effect   Effect        `json:"effect,omitempty"`
		Outcome  Outcome       `json:"outcome"`
		Summary  string        `json:"summary,omitempty"` // a few words for the user
		Diffs    []Diff        `json:"diffs,omitempty"`   // what was written
		Duration time.Duration `json:"duration_ns,omitempty"`
		// Error is why the call failed, for the user. If it is empty, the text of
		// Result serves for both the user and the model.
		Error string `json:"error,omitempty"`
		// Proposed is what a call that was rejected, or interrupted before the
		// user's answer, would have written.
		Proposed []Diff `json:"proposed,omitempty"`
		// Source is the host or server whose content the result has. It is empty for the
		// results of tools that do not connect.
		Source string `json:"source,omitempty"`
		// Reads are the file contents that this result shows the model.
		Reads []Reading `json:"reads,omitempty"`
		// Unattended is set if the call was denied because it needed approval and
		// there was no user.
		Unattended bool `json:"unattended,omitempty"`
		// ReadOnly is set if a command needed no approval because it only reads.
		ReadOnly bool `json:"read_only,omitempty"`
		// Effective is the call of another tool that the call was in effect; nil for most
		// calls.
		Effective *EffectiveCall `json:"effective,omitempty"`
	}
	// EffectiveCall is the call of another tool that a call makes in effect: mcp_call calls
	// a tool of an MCP server, and jobs runs a command like shell.
	EffectiveCall struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"` // as the model sent them, an object
	}
	// TodoSet is the model's complete plan from now on.
	TodoSet struct {
		Meta
		ID    string     `json:"id"` // of the tool call that set it
		Items []TodoItem `json:"items"`
	}
)

// The durable events of a session.
type (
	// ModelSet names the model that answers from now on.
	ModelSet struct {
		Meta
		Ref
		Model   string `json:"model"`             // PROVIDER/NAME
		Why     string `json:"why,omitempty"`     // why it was chosen, for the user
		Context int    `json:"context,omitempty"` // its window in tokens; 0 if unknown
		Effort  string `json:"effort,omitempty"`  // reasoning effort; empty for the model's default
		// BaseURL is where its requests go, without secrets. It is empty in old
		// logs and until the user has approved the address.
		BaseURL string `json:"base_url,omitempty"`
		// Host is the host of BaseURL if that is not the provider's own address.
		Host string `json:"host,omitempty"`
	}
	// ModeSet is the permission mode from now on.
	ModeSet struct {
		Meta
		Ref
		Mode string `json:"mode"` // a Mode
	}
	// Prefix is the part of every request from now on that precedes the messages.
	// A resumed session sends it unchanged.
	Prefix struct {
		Meta
		System       string            `json:"system"` // ends with the text of Instructions
		Tools        []llm.ToolSpec    `json:"tools,omitempty"`
		WebSearch    bool              `json:"web_search,omitempty"` // the provider's own web search is offered
		Instructions []InstructionFile `json:"instructions,omitempty"`
		// Replaced and Added are the user's own texts in System: in place of the
		// program's, and in addition to it.
		Replaced string `json:"replaced,omitempty"`
		Added    string `json:"added,omitempty"`
		Hash     string `json:"hash"` // "sha256:…" of System and Tools
		// Basis is a hash of the choices behind the prefix: the user's system prompt,
		// the instructions, and which tools the model is offered. As long as they are
		// the same, a newer version of the program sends the recorded prefix.
		Basis string `json:"basis"`
	}
	// PermissionRemoved reports that the user removed a rule or a standing permission.
	PermissionRemoved struct {
		Meta
		Ref
		Text  string `json:"text"`            // as in Permission
		Grant *Grant `json:"grant,omitempty"` // the standing permission; nil for a rule
	}
	// Renamed gives the session a title, in place of its first words.
	Renamed struct {
		Meta
		Ref
		Title string `json:"title"`
		// Model was asked for the title; empty if the user set it. Usage and Cost are
		// of its reply. If the user has set a title before, Title is that one.
		Model string    `json:"model,omitempty"` // PROVIDER/NAME
		Usage llm.Usage `json:"usage,omitzero"`
		Cost  *float64  `json:"cost_usd,omitempty"` // nil if the price is unknown
	}
	// Rewound undoes the end of the conversation: only its first Keep events
	// remain. Partials and Rewound itself are not counted.
	Rewound struct {
		Meta
		Ref
		Keep int `json:"keep"`
	}
	// Compacted changes what the model is sent of the conversation so far: it
	// shortens old content, or does what the user requested. The log keeps
	// everything.
	Compacted struct {
		Meta
		Ref
		Step    CompactStep `json:"step,omitempty"`    // empty in old logs: CompactResults
		Replies int         `json:"replies"`           // the last ones, which stay complete
		Limit   int         `json:"limit,omitempty"`   // bytes or messages, as the step says
		Item    string      `json:"item,omitempty"`    // of CompactPin, CompactUnpin and CompactDrop
		Title   string      `json:"title,omitempty"`   // of the item, for the user
		Text    string      `json:"text,omitempty"`    // of CompactSummary and CompactEdit
		Saved   int         `json:"saved_tokens"`      // estimate; negative if the conversation has grown
		Outputs string      `json:"outputs,omitempty"` // directory with the originals of what was shortened; empty if there is none
		Why     string      `json:"why,omitempty"`     // for the user
		// Model wrote the Text of a CompactSummary. Usage and Cost are of its reply.
		Model string    `json:"model,omitempty"` // PROVIDER/NAME
		Usage llm.Usage `json:"usage,omitzero"`
		Cost  *float64  `json:"cost_usd,omitempty"` // nil if the price is unknown
	}
)

// The durable events of a command that the user typed.
type (
	// ShellStart announces the command. It is on disk before the command runs.
	ShellStart struct {
		Meta
		ID   string `json:"id"`
		Line string `json:"line"`
		Join bool   `json:"join,omitempty"` // its output becomes part of the conversation
	}
	// ShellEnd is how it ended. While it runs, Progress of its ID has its output.
	ShellEnd struct {
		Meta
		ID       string        `json:"id"`
		Line     string        `json:"line"`
		Join     bool          `json:"join,omitempty"`
		Outcome  Outcome       `json:"outcome"`
		Summary  string        `json:"summary,omitempty"` // a few words for the user
		Text     string        `json:"text"`              // its output, and how it ended
		Duration time.Duration `json:"duration_ns,omitempty"`
	}
	// ShellOutputSent adds the ShellEnd of that ID to the conversation: the model gets
	// it with its next request.
	ShellOutputSent struct {
		Meta
		ID string `json:"id"`
	}
)

// ContinuePrompt is the prompt that continues a truncated answer.
const ContinuePrompt = "Go on exactly where your answer was cut."
