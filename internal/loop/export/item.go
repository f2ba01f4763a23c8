package export

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// item is a part of a document: a *prompt, *speech, *call, *delegation, *proposal,
// *finish, *note or *other.
type item interface{ isItem() }

type (
	// prompt is a message of the user, or one that the program sent for the user.
	prompt struct {
		*event.UserSaid
		turn int // number of the turn that it starts, from 1; 0 if it steers a turn
	}
	// speech is an answer or thinking of the model.
	speech struct{ llm.Message }
	// call is a tool call with its result.
	call struct {
		message llm.Message
		title   string
		decided *event.Decided // nil if the user was not asked
		again   *event.Decided // about running it again; nil if the user was not asked
		plan    *event.TodoSet // set by the call; nil for most calls
		end     *event.ToolEnd // nil if no result is recorded

		delegation *delegation // that the call waited for; nil for most calls
		proposal   *proposal   // that the call presented; nil for most calls
	}
	// finish is the end of a turn.
	finish struct {
		*event.TurnEnd
		models []string // used in the turn, in order
	}
	// note is a change of the session's state.
	note struct{ text string }
	// other is an event without a form of its own.
	other struct {
		kind string
		body []byte // as JSON
	}
)

// diffs returns the changes that a finished call wrote, or those that it proposed.
func (c *call) diffs() []event.Diff {
	if len(c.end.Diffs) == 0 {
		return c.end.Proposed
	}
	return c.end.Diffs
}

// output returns the error for the user if there is one, or else the result; empty if
// the answer of a delegate is the result.
func (c *call) output() string {
	if c.delegation != nil && c.delegation.answer() != "" && c.end.Outcome == event.OK {
		return ""
	}
	return screen(cmp.Or(c.end.Error, c.end.Result.Text))
}

// shown reports whether something other than the output shows the result of the call.
func (c *call) shown() bool { return len(c.diffs()) > 0 || c.plan != nil || c.proposal != nil }

func (*prompt) isItem() {}
func (*speech) isItem() {}
func (*call) isItem()   {}
func (*finish) isItem() {}
func (*note) isItem()   {}
func (*other) isItem()  {}

// items yields the parts of a document for a session's events. A call is yielded
// with its result. Partials without a finished message are yielded as truncated.
func items(events []event.Durable) iter.Seq[item] {
	return func(yield func(item) bool) {
		b := itemBuilder{yield: yield, calls: map[string]*call{}}
		for _, e := range events {
			if b.take(e); b.stopped {
				return
			}
		}
		b.settle()
		b.unended()
	}
}

// itemBuilder builds the items of a session.
type itemBuilder struct {
	yield   func(item) bool
	stopped bool

	turn     int
	models   []string
	partials []*event.Partial // joined texts of unfinished messages
	calls    map[string]*call
	open     []string // IDs of the calls without a result, in order

	delegates []*delegation // without an end, in order
	diffs     string        // ID of the last call with diffs, which show what it changed
}

func (b *itemBuilder) add(i item) { b.stopped = b.stopped || !b.yield(i) }

func (b *itemBuilder) take(e event.Durable) {
	switch e := e.(type) {
	case *event.UserSaid:
		b.said(e)
	case *event.Partial:
		b.partial(e)
	case *event.MessageDone:
		b.message(e.Message)
	case *event.ToolStart:
		if c := b.calls[e.ID]; c != nil {
			c.title = e.Title
		}
	case *event.Decided:
		b.decided(e)
	case *event.TodoSet:
		b.todo(e)
	case *event.ToolEnd:
		b.result(e)
	case *event.DelegateStart:
		b.delegated(e)
	case *event.DelegateEnd:
		b.delegateEnd(e)
	case *event.PlanSet:
		b.presented(e)
	case *event.ShellStart, *event.ShellTold: // the ShellEnd has everything
	case *event.ShellEnd:
		b.add(userCommand(e))
	case *event.StepEnd:
		if m := OneLine(e.Model, maxWords); m != "" && !slices.Contains(b.models, m) {
			b.models = append(b.models, m)
		}
	case *event.TurnEnd:
		b.settle()
		b.add(&finish{TurnEnd: e, models: b.models})
		b.models = nil
	case *event.ModelSet:
		b.add(modelNote(e))
	case *event.ModeSet:
		b.add(&note{text: "Permission mode: " + e.Mode})
	case *event.PermissionRemoved:
		b.add(&note{text: "Permission removed: " + e.Text})
	case *event.FilesChanged:
		if e.ID == "" || e.ID != b.diffs {
			b.add(&note{text: changedFiles(e)})
		}
	case *event.Undone:
		b.add(&note{text: undone(e)})
	case *event.Prefix: // agent inspect shows it
	case *event.Renamed: // the title is in the heading
	case *event.Compacted:
		if text := compacted(e.Step); text != "" {
			b.add(&note{text: text})
		}
	default:
		b.unknown(e)
	}
}

// decided adds a decision to its call.
func (b *itemBuilder) decided(e *event.Decided) {
	switch c := b.calls[e.ID]; {
	case c == nil:
	case e.Again != "":
		c.again = e
	default:
		c.decided = e
	}
}

// todo adds a todo list to the call that set it.
func (b *itemBuilder) todo(e *event.TodoSet) {
	if c := b.calls[e.ID]; c != nil {
		c.plan = e
	} else {
		b.unknown(e)
	}
}

// compacted says what a step of compaction did; empty if only the model's context shows it.
func compacted(step event.CompactStep) string {
	switch step {
	case event.CompactPin, event.CompactUnpin, event.CompactDrop, event.CompactEdit, event.CompactUndo:
		return ""
	case event.CompactImages:
		return "Image removed: the provider rejected it"
	}
	return "Context compacted"
}

// modelNote says which model continues the session.
func modelNote(e *event.ModelSet) *note {
	text := "Model: " + e.Model
	if e.Host != "" {
		text += " at " + e.Host
	}
	if e.Why != "" {
		text += " (" + e.Why + ")"
	}
	return &note{text: text}
}

// said adds a message of the user. The description of the environment is left out: it
// is about the user's machine.
func (b *itemBuilder) said(e *event.UserSaid) {
	if e.Situation {
		return
	}
	p := &prompt{UserSaid: e}
	if !e.Steered {
		b.settle()
		b.turn++
		p.turn = b.turn
	}
	b.add(p)
}

func (b *itemBuilder) partial(p *event.Partial) {
	for _, have := range b.partials {
		if have.Reply == p.Reply && have.Kind == p.Kind {
			have.Text += p.Text
			return
		}
	}
	c := *p
	b.partials = append(b.partials, &c)
}

func (b *itemBuilder) message(m llm.Message) {
	b.partials = slices.DeleteFunc(b.partials, func(p *event.Partial) bool { return p.Reply == m.Reply && p.Kind == m.Kind })
	if m.Kind == llm.WebSearch {
		if m.Search != nil {
			b.add(&note{text: m.Search.Text()})
		}
		return
	}
	if m.Kind != llm.ToolCall {
		m.Text = m.WithSources()
		b.add(&speech{m})
		return
	}
	if b.calls[m.ID] == nil {
		b.open = append(b.open, m.ID)
	}
	b.calls[m.ID] = &call{message: m, title: CallTitle(m.Name, m.Input)}
}

func (b *itemBuilder) result(e *event.ToolEnd) {
	c := b.calls[e.Result.ID]
	if c == nil {
		c = &call{}
	}
	b.forget(e.Result.ID)
	c.end = e
	if c.delegation != nil && c.delegation.end == nil { // it works in the background
		c.delegation = nil
	}
	if e.Title != "" {
		c.title = e.Title
	}
	if len(e.Diffs) > 0 {
		b.diffs = e.Result.ID
	}
	b.add(c)
}

// userCommand returns a command that the user typed in the form of a call.
func userCommand(e *event.ShellEnd) *call {
	return &call{title: "You ran: " + e.Line, end: &event.ToolEnd{Meta: e.Meta, Outcome: e.Outcome, Summary: e.Summary, Duration: e.Duration,
		Result: llm.Message{Kind: llm.ToolResult, ID: e.ID, Text: e.Text, IsError: e.Outcome != event.OK}}}
}

func (b *itemBuilder) forget(id string) {
	delete(b.calls, id)
	b.open = slices.DeleteFunc(b.open, func(o string) bool { return o == id })
}

// settle yields the unfinished messages and calls.
func (b *itemBuilder) settle() {
	for _, p := range b.partials {
		b.add(&speech{llm.Message{Kind: p.Kind, Reply: p.Reply, Text: p.Text, Cut: true}})
	}
	b.partials = nil
	for _, id := range slices.Clone(b.open) {
		c := b.calls[id]
		b.forget(id)
		b.add(c)
		if c.delegation != nil && c.delegation.end != nil {
			b.add(c.delegation)
		}
	}
}

func (b *itemBuilder) unknown(e event.Durable) {
	body, err := event.Encode(e)
	if err != nil {
		return // not a known event
	}
	var t struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(body, &t) == nil {
		b.add(&other{kind: t.Type, body: body})
	}
}
