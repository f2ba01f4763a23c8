package turn

import (
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/window"
	"agent/internal/tools/workspace"
)

// Conversation is what the next request continues from. A running turn owns it:
// whoever starts the turn hands it over and gets it back with the outcome, so that
// a rewind or a compaction cannot touch it meanwhile. Only the types of this
// package change it.
type Conversation struct {
	Loaded   bool          // it holds the session so far
	Messages []llm.Message // what the model is sent
	Steps    int           // of the whole session

	meter     window.Meter
	reads     []window.Reading  // what the model knows of files
	ledger    *workspace.Ledger // holds the same for the tools; nil without them
	outputs   Outputs           // nil keeps no originals
	cooldown  cooldown
	textCalls map[string]bool // models that write their tool calls as text
}

// Outputs keeps the originals of shortened results for the model to look up.
type Outputs interface {
	Outputs() string // the directory
	SaveOutput(name, text string) error
}

// NewConversation returns an empty conversation. It keeps ledger up to date. Both
// may be nil.
func NewConversation(ledger *workspace.Ledger, outputs Outputs) *Conversation {
	return &Conversation{ledger: ledger, outputs: outputs, cooldown: cooldown{}, textCalls: map[string]bool{}}
}

// Load replaces the contents with those of a session: its messages, its number of
// steps, the meter of its window and what the model got to know of files.
func (c *Conversation) Load(msgs []llm.Message, steps int, m window.Meter, reads []window.Reading) {
	c.Loaded, c.Messages, c.Steps, c.meter = true, msgs, steps, m.Measured(msgs)
	c.setReads(window.Remaining(reads, msgs))
}

// continuation returns the note with which the conversation can be sent again: none
// if it ends with a message of the user or with a tool result.
func (c *Conversation) continuation() string {
	if n := len(c.Messages); n > 0 && (c.Messages[n-1].Kind == llm.User || c.Messages[n-1].Kind == llm.ToolResult) {
		return ""
	}
	return event.GoOn
}

// add appends messages.
func (c *Conversation) add(msgs ...llm.Message) { c.Messages = append(c.Messages, msgs...) }

// addReads notes what the model knows of files with the result of a call.
func (c *Conversation) addReads(call string, reads []workspace.Reading) []event.Reading {
	if len(reads) == 0 {
		return nil
	}
	var kept []event.Reading // without the files' contents
	for _, r := range reads {
		kept = append(kept, event.Reading{Path: r.Path, Sum: r.Sum, First: r.First, Last: r.Last})
	}
	c.reads = append(c.reads, window.Reading{Step: c.Steps, Call: call, Files: kept})
	c.ledger.Add(c.Steps, reads...)
	return kept
}

// setReads replaces what the model knows of files, here and in the ledger.
func (c *Conversation) setReads(reads []window.Reading) {
	c.reads = reads
	c.ledger.Reset()
	for _, r := range reads {
		for _, f := range r.Files {
			c.ledger.Add(r.Step, workspace.Reading{Path: f.Path, Sum: f.Sum, First: f.First, Last: f.Last})
		}
	}
}

// What the model is told when mode plan begins and when it is over.
const (
	planBegins = "[The person has set mode plan: files are not to be changed, and edits are refused. Find out what there is to know, then say what you would change and why.]"
	planEnds   = "[The person has left mode plan: files may be changed again.]"
)

// announceMode returns the message that plan mode has begun or ended, once for
// each change.
func (c *Conversation) announceMode(m event.Mode) []string {
	switch plans := m == event.ModePlan; {
	case plans == planModeAnnounced(c.Messages):
		return nil
	case plans:
		return []string{planBegins}
	}
	return []string{planEnds}
}

// planModeAnnounced reports whether msgs say that the mode is plan, and not that
// this is over.
func planModeAnnounced(msgs []llm.Message) bool {
	for _, m := range slices.Backward(msgs) {
		if m.Kind == llm.User && (m.Text == planBegins || m.Text == planEnds) {
			return m.Text == planBegins
		}
	}
	return false
}
