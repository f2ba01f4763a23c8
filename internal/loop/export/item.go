package export

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/session/calls"
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
		*calls.Call
		title      string
		end        *event.ToolEnd // nil if no result is recorded
		delegation *delegation    // that the call waited for; nil for most calls
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
func (c *call) shown() bool { return len(c.diffs()) > 0 || c.Todo != nil || c.Plan != nil }

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
		b := itemBuilder{yield: yield}
		for _, e := range events {
			if b.handleEvent(e); b.stopped {
				return
			}
		}
		b.flush()
		for _, s := range b.delegates {
			b.add(&delegation{start: s})
		}
	}
}

// itemBuilder builds the items of a session.
type itemBuilder struct {
	yield   func(item) bool
	stopped bool

	turn     int
	models   []string
	partials []*event.Partial // joined texts of unfinished messages
	open     calls.Open

	delegates []*event.DelegateStart // without an end, in order
	diffs     string                 // ID of the last call with diffs, which show what it changed
}

func (b *itemBuilder) add(i item) { b.stopped = b.stopped || !b.yield(i) }

func (b *itemBuilder) handleEvent(e event.Durable) {
	c := b.open.Take(e)
	switch e := e.(type) {
	case *event.UserSaid:
		b.said(e)
	case *event.Partial:
		b.partial(e)
	case *event.MessageDone:
		b.message(e.Message)
	case *event.ToolStart, *event.Decided: // the call has them
	case *event.TodoSet:
		if c == nil {
			b.unknown(e)
		}
	case *event.PlanSet:
		if c == nil {
			b.add(&proposal{e})
		}
	case *event.ToolEnd:
		b.result(e, c)
	case *event.DelegateStart:
		b.delegates = append(b.delegates, e)
	case *event.DelegateEnd:
		b.delegateEnd(e, c)
	case *event.ShellStart, *event.ShellOutputSent: // the ShellEnd has everything
	case *event.ShellEnd:
		b.add(userCommand(e))
	case *event.StepEnd:
		if m := OneLine(e.Model, maxWords); m != "" && !slices.Contains(b.models, m) {
			b.models = append(b.models, m)
		}
	case *event.TurnEnd:
		b.flush()
		b.add(&finish{TurnEnd: e, models: b.models})
		b.models = nil
	case *event.ModelSet:
		b.add(modelNote(e))
	case *event.ModeSet:
		b.add(&note{text: "Permission mode: " + event.Mode(e.Mode).Name()})
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
		b.flush()
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
	switch {
	case m.Kind == llm.ToolCall: // its result follows
	case m.Kind != llm.WebSearch:
		m.Text = m.WithSources()
		b.add(&speech{m})
	case m.Search != nil:
		b.add(&note{text: m.Search.Text()})
	}
}

// result adds the call that ends with e. c is nil if the call is not recorded.
func (b *itemBuilder) result(e *event.ToolEnd, c *calls.Call) {
	if c == nil {
		c = &calls.Call{}
	}
	i := newCall(c)
	i.end, i.title = e, cmp.Or(e.Title, i.title)
	if c.DelegateEnd == nil { // a delegate works in the background
		i.delegation = nil
	}
	if len(e.Diffs) > 0 {
		b.diffs = e.Result.ID
	}
	b.add(i)
}

// newCall returns the item of a call without its end.
func newCall(c *calls.Call) *call {
	i := &call{Call: c, title: CallTitle(c.Message.Name, c.Message.Input)}
	if c.Start != nil {
		i.title = c.Start.Title
	}
	if c.Delegate != nil {
		i.delegation = &delegation{c.Delegate, c.DelegateEnd}
	}
	return i
}

// userCommand returns a command that the user typed in the form of a call.
func userCommand(e *event.ShellEnd) *call {
	return &call{Call: &calls.Call{}, title: "You ran: " + e.Line, end: &event.ToolEnd{Meta: e.Meta, Outcome: e.Outcome, Summary: e.Summary, Duration: e.Duration,
		Result: llm.Message{Kind: llm.ToolResult, ID: e.ID, Text: e.Text, IsError: e.Outcome != event.OK}}}
}

// flush yields the unfinished messages and calls.
func (b *itemBuilder) flush() {
	for _, p := range b.partials {
		b.add(&speech{llm.Message{Kind: p.Kind, Reply: p.Reply, Text: p.Text, Cut: true}})
	}
	b.partials = nil
	for _, c := range b.open {
		i := newCall(c)
		if b.add(i); c.DelegateEnd != nil {
			b.add(i.delegation)
		}
	}
	b.open = nil
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
