package turn

import (
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/plan"
	"agent/internal/loop/window"
	"agent/internal/tools/workspace"
)

// Conversation holds the messages that the next request sends, and the state that
// belongs to them. A running turn owns it and returns it with the outcome, so that
// a rewind or a compaction cannot change it during a turn. Only the types of this
// package change it.
type Conversation struct {
	Loaded   bool          // the session has been read
	Messages []llm.Message // sent to the model
	Steps    int           // of the whole session
	Prefix   *event.Prefix // of the requests, never changed; nil before the first one

	prefixFor prefixModel // the model that Prefix was compared for
	meter     window.Meter
	marks     window.Marks
	counts    counts
	size      int               // tokens of the next request, when it was measured last
	accepted  map[string]int    // most tokens of a request that a model answered, by name
	learned   map[string]int    // tokens that a model accepts although its window should hold more, by name
	reads     []window.Reading  // file contents that the model has seen
	ledger    *workspace.Ledger // file contents that the model has seen, for the tools; may be nil
	outputs   Outputs           // stores originals; may be nil
	secrets   Secrets
	cooldown  cooldown
	textCalls map[string]bool // models that write their tool calls as text, by name
	unlisted  map[string]bool // models that get no definitions of MCP tools, by name
	assumed   map[string]bool // models whose assumed window the user has been told, by name
}

// counts are the estimates that a conversation remembers.
type counts struct {
	of       *event.Prefix // the prefix that was counted
	prefix   int           // its tokens
	messages window.Counts
}

// Outputs keeps the originals of shortened results for the model to look up.
type Outputs interface {
	Outputs() string // the directory that holds them
	SaveOutput(name, text string) error
}

// NewConversation returns an empty conversation, which keeps ledger up to date and
// replaces the secrets in its messages. All arguments may be nil.
func NewConversation(ledger *workspace.Ledger, outputs Outputs, secrets Secrets) *Conversation {
	if secrets == nil {
		secrets = noSecrets{}
	}
	return &Conversation{ledger: ledger, outputs: outputs, secrets: secrets, cooldown: cooldown{}, textCalls: map[string]bool{}, unlisted: map[string]bool{}, assumed: map[string]bool{}, accepted: map[string]int{}, learned: map[string]int{}}
}

// Load replaces the contents with those of a session: the prefix, which may be nil,
// messages with their marks, number of steps, window meter and the file contents that
// the model has seen.
func (c *Conversation) Load(p *event.Prefix, msgs []llm.Message, k window.Marks, steps int, m window.Meter, reads []window.Reading) {
	c.Loaded, c.Messages, c.marks, c.Steps, c.meter = true, msgs, k, steps, m
	for i, m := range c.Messages { // an older version, or the user's setting, may have kept the secrets
		c.Messages[i] = c.secrets.Message(m)
	}
	c.Prefix, c.prefixFor = p, prefixModel{}
	c.setReads(window.Remaining(reads, msgs))
}

// continuation returns the note with which the conversation can be sent again: none
// if the model has not answered.
func (c *Conversation) continuation() string {
	if llm.Unanswered(c.Messages) {
		return ""
	}
	return event.ContinuePrompt
}

// add appends messages without their secrets. All messages but those of Load and of a
// summary come through here.
func (c *Conversation) add(msgs ...llm.Message) {
	for _, m := range msgs {
		c.Messages = append(c.Messages, c.secrets.Message(m))
	}
}

// missing returns the notes that are not among the messages.
func (c *Conversation) missing(notes []string) []string {
	return slices.DeleteFunc(notes, func(note string) bool {
		note = c.secrets.Text(note)
		return slices.ContainsFunc(c.Messages, func(m llm.Message) bool { return m.Kind == llm.User && m.Text == note })
	})
}

// Note adds a note of the program to the model, with which it gets the next request.
func (c *Conversation) Note(text string) { c.add(llm.Message{Kind: llm.User, Text: text, Note: true}) }

// addReads records the file contents that a tool result shows the model.
func (c *Conversation) addReads(call string, reads []workspace.Reading) []event.Reading {
	if len(reads) == 0 {
		return nil
	}
	var kept []event.Reading // without the files' contents
	for _, r := range reads {
		kept = append(kept, event.Reading{Path: r.Path, Sum: r.Sum, First: r.First, Last: r.Last, Part: r.Part})
	}
	c.reads = append(c.reads, window.Reading{Step: c.Steps, Call: call, Files: kept})
	c.ledger.Add(c.Steps, reads...)
	return kept
}

// setReads replaces the file contents that the model has seen, also in the ledger.
func (c *Conversation) setReads(reads []window.Reading) {
	c.reads = reads
	c.ledger.Reset()
	for _, r := range reads {
		for _, f := range r.Files {
			c.ledger.Add(r.Step, workspace.Reading{Path: f.Path, Sum: f.Sum, First: f.First, Last: f.Last, Part: f.Part})
		}
	}
}

// Notes to the model when plan mode begins and ends. The second one is for models that
// are offered no tool to present a plan, the third one for delegates. Older sessions
// hold the last three.
const (
	planToPresent  = "[The user has set permission mode plan: do not change files, not with commands either; edits are denied. Investigate, and ask what only the user can decide. Then call " + plan.Tool + " with your plan, instead of writing it as text. If the user asks a question, answer it without a plan.]"
	planBegins     = "[The user has set permission mode plan: do not change files, edits are denied. Investigate, then say what you would change and why.]"
	planDelegated  = "[The permission mode is plan: do not change files, not with commands either; edits are denied. If the task needs a change, describe it in your answer.]"
	planEnds       = "[The user has left permission mode plan: you may change files again.]"
	planPresentOld = "[The user has set permission mode plan: do not change files, edits are denied. Investigate, and ask what only the user can decide. Then present your plan with " + plan.Tool + ".]"
	planBeginsOld  = "[The person has set mode plan: files are not to be changed, and edits are refused. Find out what there is to know, then say what you would change and why.]"
	planEndsOld    = "[The person has left mode plan: files may be changed again.]"
)

// announceMode returns the note that plan mode has begun or ended, if the model has
// not received it yet. Delegated is set in a delegate.
func (c *Conversation) announceMode(m event.Mode, delegated bool) []string {
	switch plans := m == event.ModePlan; {
	case plans == planModeAnnounced(c.Messages):
		return nil
	case plans && delegated:
		return []string{planDelegated}
	case plans && offeredName(c.Prefix, plan.Tool) != "":
		return []string{planToPresent}
	case plans:
		return []string{planBegins}
	}
	return []string{planEnds}
}

// planModeAnnounced reports whether the last note about plan mode in msgs says that
// it has begun. The result of a plan that was approved says that it has ended.
func planModeAnnounced(msgs []llm.Message) bool {
	for _, m := range slices.Backward(msgs) {
		switch {
		case m.Kind == llm.ToolResult && plan.Approved(m.Text):
			return false
		case m.Kind != llm.User:
		case slices.Contains([]string{planToPresent, planBegins, planDelegated, planPresentOld, planBeginsOld}, m.Text):
			return true
		case m.Text == planEnds, m.Text == planEndsOld:
			return false
		}
	}
	return false
}
