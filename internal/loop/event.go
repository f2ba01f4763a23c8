package loop

import (
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// Event is what a running agent tells its front end, in one ordered queue.
//
// Durable events are the records of the session log, the lines of stream-json
// and what a resumed screen is drawn from; each is in the log before it is
// sent. All others are previews: never stored, and made good by a durable event
// that follows.
type Event interface{ isEvent() }

// Durable is an Event that is stored: a pointer to one of the durable events.
// See Encode and Decode.
type Durable interface {
	Event
	meta() *Meta
}

// Meta is common to all durable events.
type Meta struct {
	Agent string    `json:"agent,omitempty"` // who; empty is the main agent
	Time  time.Time `json:"time"`
}

// The durable events.
type (
	// UserSaid is a person's message. Unless it steered a turn that was already
	// running, it begins one.
	UserSaid struct {
		Meta
		Text    string      `json:"text"`
		Images  []llm.Image `json:"images,omitempty"`
		Steered bool        `json:"steered,omitempty"`
		// Auto marks what this program said in the person's place: that a cut
		// answer is to go on, that an answer does not fit its schema.
		Auto bool `json:"auto,omitempty"`
	}
	// Partial is what a message that still streams got since its last Partial.
	// The finished message of the same reply and kind supersedes all of them.
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
	// Decided is the answer to an Asked.
	Decided struct {
		Meta
		ID       string   `json:"id"` // of the tool call
		Decision Decision `json:"decision"`
		Scope    string   `json:"scope,omitempty"`  // what an Always covers, in words
		Chosen   []string `json:"chosen,omitempty"` // the choices that an Answered took, in words
		Note     string   `json:"note,omitempty"`   // what the person said with it
		// Grant is that standing permission, where the decision was Always. It holds
		// in the session whose seal it carries: see policy.Sealer.
		Grant *event.Grant `json:"grant,omitempty"`
	}
	// ToolStart is the intent to run a tool. It is written before the tool runs,
	// and where that does more than read, a loss of power cannot take it then.
	ToolStart struct {
		Meta
		ID      string   `json:"id"`
		Title   string   `json:"title"`
		Effect  string   `json:"effect"` // tools.Effect
		Targets []Target `json:"targets,omitempty"`
	}
	// ToolEnd is the one result of a tool call, whether the tool ran or not.
	ToolEnd struct {
		Meta
		Result   llm.Message   `json:"result"` // a ToolResult
		Title    string        `json:"title"`
		Effect   string        `json:"effect,omitempty"`
		Outcome  Outcome       `json:"outcome"`
		Summary  string        `json:"summary,omitempty"` // a few words for people
		Diffs    []Diff        `json:"diffs,omitempty"`   // what was written
		Duration time.Duration `json:"duration_ns,omitempty"`
		// Reads are the files that the model knows more of with this result.
		Reads []event.Reading `json:"reads,omitempty"`
	}
	// StepEnd closes one reply of the model and the results of its calls.
	StepEnd struct {
		Meta
		Reply  string     `json:"reply"`
		Model  string     `json:"model"` // PROVIDER/NAME
		Finish llm.Reason `json:"finish"`
		Usage  llm.Usage  `json:"usage"`
		Cost   *float64   `json:"cost_usd,omitempty"` // nil if the price is not known
		Lost   int        `json:"lost,omitempty"`     // events of the stream that could not be read
	}
	// TurnEnd closes a turn.
	TurnEnd struct {
		Meta
		Reason   Reason        `json:"reason"`
		Error    string        `json:"error,omitempty"` // one line for people
		Hint     string        `json:"hint,omitempty"`  // what they can do about it
		Steps    int           `json:"steps"`
		Usage    llm.Usage     `json:"usage"`
		Cost     *float64      `json:"cost_usd,omitempty"` // nil if the price of a step is not known
		Cut      bool          `json:"cut,omitempty"`      // the answer was cut: GoOn continues it
		Duration time.Duration `json:"duration_ns"`
	}
	// ModelSet says which model answers from here on.
	ModelSet struct {
		Meta
		Model   string `json:"model"`             // PROVIDER/NAME
		Why     string `json:"why,omitempty"`     // why it was chosen, in words
		Context int    `json:"context,omitempty"` // its window in tokens, 0 if unknown
		Effort  string `json:"effort,omitempty"`  // how hard it is to think; empty where that is its own
		// BaseURL is where its requests go, without secrets: see wire.Redacted. It is
		// empty in old logs, and while the user has not approved the address.
		BaseURL string `json:"base_url,omitempty"`
		// Host is the host of BaseURL if that is not the provider's own address.
		Host string `json:"host,omitempty"`
	}
	// Renamed gives the session a title in place of its first words.
	Renamed struct {
		Meta
		Title string `json:"title"`
	}
	// Rewound takes back what was said last: the session goes on from its first
	// Keep events, partials not counted, as State.Events has them. It is not
	// among them itself.
	Rewound struct {
		Meta
		Keep int `json:"keep"`
	}
	// Compacted says that old content was cut from what the model is told, by
	// fixed rules. The log keeps all of it.
	Compacted struct {
		Meta
		Replies int    `json:"replies"`           // the last ones, which stay whole
		Saved   int    `json:"saved_tokens"`      // about
		Outputs string `json:"outputs,omitempty"` // the directory with the whole of what was cut from results; empty if it is nowhere
		Why     string `json:"why,omitempty"`     // in words
	}
	// ModeSet says what is asked about from here on.
	ModeSet struct {
		Meta
		Mode string `json:"mode"` // policy.Mode
	}
	// TodoSet is the model's plan from here on, whole.
	TodoSet struct {
		Meta
		ID    string     `json:"id"` // of the tool call that made it
		Items []TodoItem `json:"items"`
	}
)

// The previews.
type (
	// Streamed is a piece of the reply that is being streamed.
	Streamed struct {
		Reply string
		Delta llm.Delta
	}
	// Progress is output of a tool that runs.
	Progress struct {
		ID   string
		Text string
	}
	// Asked wants an Answer of the same ID. The turn waits for it. ToolEnd of
	// that ID, or TurnEnd, withdraws it.
	Asked struct{ Ask Ask }
	// Retrying says that a request failed and is tried again.
	Retrying struct {
		Attempt, Of int // the try that comes, of how many at most
		In          time.Duration
		Error       string
		Hint        string
	}
	// JobsNow are the commands in the background, after one of them changed or a
	// ListJobs.
	JobsNow struct{ Jobs []Job }
	// Notice is something that the person should know. It changes nothing.
	Notice struct{ Text string }
	// Unsent gives back what the person said to steer a turn that ended before
	// the model was told: it belongs in the editor again.
	Unsent struct{ Text string }
)

// Ask is a question to the person.
type Ask struct {
	ID       string // of the tool call, StepsAsk, TextAsk or HostAsk
	Title    string // "edit internal/tui/list.go"
	Effect   string // tools.Effect; empty for a question about the turn itself
	Targets  []Target
	Diffs    []Diff   // what would be written
	Warnings []string // what to know before saying yes
	Why      string   // why it is asked: the rule, in words
	Scope    string   // what an Always would cover, in words; empty if it is not offered

	// A question of the model's own has these as well. Its answer is Answered, or
	// Refuse, which leaves the choice to the model.
	Question string   // whole; Title has its beginning
	Choices  []Choice // empty for any other question
	Many     bool     // several may be taken
}

// AboutTurn reports whether the question is whether the turn may go on, and not
// about a tool call.
func (a Ask) AboutTurn() bool { return a.Effect == "" }

// The IDs of the questions about a turn.
const (
	StepsAsk = "steps" // whether a long turn may go on
	TextAsk  = "text"  // whether a model without tool calling may write its calls as text
	HostAsk  = "host"  // whether the conversation may be sent to a host
)

// GoOn is the prompt that continues an answer that was cut.
const GoOn = "Go on exactly where your answer was cut."

// Target is something that a tool call acts on: {"path", "a/b.go"},
// {"command", "make"}, {"host", "example.org"}.
type Target struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
	// Dir is the absolute directory in which a command runs; empty for other kinds.
	Dir string `json:"dir,omitempty"`
}

// Diff is one changed file.
type Diff struct {
	Path    string `json:"path"`
	Unified string `json:"unified"` // hunks of a unified diff with three lines of context, without file headers
	Added   int    `json:"added"`   // lines
	Removed int    `json:"removed"` // lines
	Created bool   `json:"created,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
}

// Outcome is how a tool call ended.
type Outcome string

// The outcomes of a tool call.
const (
	OK          Outcome = "ok"
	Failed      Outcome = "error"
	Refused     Outcome = "refused"     // by the person or by policy; it did not run
	Interrupted Outcome = "interrupted" // the turn ended first
	Uncertain   Outcome = "unknown"     // the program ended while it ran
)

// Reason says why a turn ended.
type Reason string

// The reasons for which a turn ends.
const (
	Done          Reason = "done"
	OutOfTokens   Reason = "length"         // the reply hit a token limit
	Filtered      Reason = "content_filter" // the provider or the model refused
	MaxSteps      Reason = "max_steps"      // the step guard
	AllFailed     Reason = "tools_failed"   // too many steps whose tools all failed
	Repeating     Reason = "repeating"      // the same calls gave the same results again and again
	BadAnswer     Reason = "schema"         // the answer does not fit the schema that was asked for
	UserInterrupt Reason = "interrupted"
	ProviderError Reason = "error"
	LogError      Reason = "log_error" // the session cannot be written
)

// Decision is a person's answer to an Ask.
type Decision string

// The decisions.
const (
	Allow    Decision = "allow"
	Always   Decision = "always" // and all in the Ask's scope for this session
	Refuse   Decision = "refuse"
	Answered Decision = "answer" // to a question with choices
)

func (*Meta) isEvent()      {}
func (m *Meta) meta() *Meta { return m }

// MetaOf returns what e has in common with all durable events.
func MetaOf(e Durable) *Meta { return e.meta() }

func (Streamed) isEvent() {}
func (Progress) isEvent() {}
func (Asked) isEvent()    {}
func (Retrying) isEvent() {}
func (JobsNow) isEvent()  {}
func (Notice) isEvent()   {}
func (Unsent) isEvent()   {}
