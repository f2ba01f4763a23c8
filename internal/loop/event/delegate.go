package event

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"agent/internal/llm"
)

// The durable events of delegates: agents that work on a task of their own, each in a
// session of its own.
type (
	// DelegateStart announces a delegate. It is on disk before the delegate works.
	DelegateStart struct {
		Meta
		ID int `json:"id"` // from 1, never reused in a session
		// Call is the ID of the tool call that started it; empty if the user did.
		Call    string `json:"call,omitempty"`
		Name    string `json:"name"` // of the agent
		Prompt  string `json:"prompt"`
		Model   string `json:"model"`             // PROVIDER/NAME
		Session string `json:"session,omitempty"` // ID of its session; empty if it is not saved
		// Dir is the absolute directory of its git worktree; empty if it works in the
		// workspace.
		Dir string `json:"dir,omitempty"`
	}
	// DelegateEnd is how a delegate ended.
	DelegateEnd struct {
		Meta
		ID     int    `json:"id"`
		Name   string `json:"name"`
		Reason Reason `json:"reason"`
		Error  string `json:"error,omitempty"` // one line for the user
		// Advice follows Error in the text for the model: what to do instead.
		Advice string `json:"advice,omitempty"`
		// Answer is its last message, which the model gets, truncated.
		Answer string `json:"answer,omitempty"`
		// Background is set if the model gets the answer as a message, not as the
		// result of the call.
		Background bool          `json:"background,omitempty"`
		Steps      int           `json:"steps"`
		Usage      llm.Usage     `json:"usage"`
		Cost       *float64      `json:"cost_usd,omitempty"` // nil if the price of a step is unknown
		Duration   time.Duration `json:"duration_ns"`
		Transcript string        `json:"transcript,omitempty"` // file with everything that it did; empty if there is none
		// Sources are the hosts and servers whose content it read, as in ToolEnd.
		Sources []string `json:"sources,omitempty"`
	}
)

// State returns the state of a delegate that ended like that.
func (e *DelegateEnd) State() DelegateState {
	switch e.Reason {
	case Done:
		return DelegateDone
	case UserInterrupt:
		return DelegateStopped
	}
	return DelegateFailed
}

// DelegateLabel returns the name of a delegate from that of its agent: "explore 2".
func DelegateLabel(agent string, id int) string { return agent + " " + strconv.Itoa(id) }

// AskID returns the ID of a question that a delegate asks as id: "2:ID".
func AskID(delegate int, id string) string { return strconv.Itoa(delegate) + ":" + id }

// CutAskID splits an ID as AskID returns it. It reports false for the ID of another
// question.
func CutAskID(id string) (delegate int, own string, ok bool) {
	number, own, ok := strings.Cut(id, ":")
	delegate, err := strconv.Atoi(number)
	return delegate, own, ok && err == nil
}

// Mention precedes the name of an agent in a prompt.
const Mention = "@agent:"

// CutMention splits a text that begins with the mention of an agent: "@agent:a do it"
// is "a" and " do it". It reports false for other texts.
func CutMention(text string) (agent, rest string, ok bool) {
	text, ok = strings.CutPrefix(text, Mention)
	if !ok {
		return "", "", false
	}
	rest = strings.TrimLeft(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
	return text[:len(text)-len(rest)], rest, true
}

// Delegate is a delegate of the session, for a list.
type Delegate struct {
	ID      int           `json:"id"`
	Call    string        `json:"call,omitempty"` // as in DelegateStart
	Name    string        `json:"name"`           // of the agent
	Task    string        `json:"task"`           // the beginning of its prompt, on one line
	Model   string        `json:"model,omitempty"`
	Session string        `json:"session,omitempty"` // ID of its session; empty if it is not saved
	State   DelegateState `json:"state"`
	// Action is what it does now, on one line: the title of a tool call, "thinking".
	Action     string    `json:"action,omitempty"`
	Steps      int       `json:"steps"`
	Tokens     int       `json:"tokens"` // input and output of all steps
	Cost       float64   `json:"cost_usd"`
	Began      time.Time `json:"began"`
	Ended      time.Time `json:"ended,omitzero"` // zero while it runs
	Background bool      `json:"background,omitempty"`
}

// Running reports whether the delegate has not ended.
func (d Delegate) Running() bool { return d.Ended.IsZero() }

// DelegateState is what a delegate does, or how it ended.
type DelegateState string

// The states of a delegate.
const (
	DelegateQueued  DelegateState = "queued" // other delegates must end first
	DelegateWorking DelegateState = "working"
	DelegateWaiting DelegateState = "waiting" // for an answer of the user
	DelegateDone    DelegateState = "done"
	DelegateFailed  DelegateState = "failed" // an error or a limit ended it
	DelegateStopped DelegateState = "stopped"
)

// MarshalJSON writes the event as Encode or EncodePreview does.
func (d Delegated) MarshalJSON() ([]byte, error) {
	encode := EncodePreview
	if e, durable := d.Event.(Durable); durable {
		encode = func(Event) ([]byte, error) { return Encode(e) }
	}
	inner, err := encode(d.Event)
	if err != nil {
		return nil, err
	}
	return json.Marshal(delegatedJSON{d.ID, inner})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (d *Delegated) UnmarshalJSON(b []byte) error {
	var j delegatedJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	d.ID = j.ID
	if e, err := Decode(j.Event); e != nil || err != nil {
		d.Event = e
		return err
	}
	var err error
	d.Event, err = DecodePreview(j.Event)
	return err
}

type delegatedJSON struct {
	ID    int             `json:"id"`
	Event json.RawMessage `json:"event"`
}
