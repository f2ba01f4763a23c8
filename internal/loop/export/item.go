package export

import (
	"encoding/json"
	"iter"
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// item is a piece of a document: a *prompt, *speech, *call, *finish, *note or
// *other.
type item interface{ isItem() }

type (
	// prompt is what the person said, or this program in their place.
	prompt struct {
		*event.UserSaid
		turn int // that it begins, from 1; 0 if it steers one
	}
	// speech is what the model said or thought.
	speech struct{ llm.Message }
	// call is a tool call with its result.
	call struct {
		message llm.Message
		title   string
		decided *event.Decided // nil if nobody was asked
		plan    *event.TodoSet // that it made, nil if it made none
		end     *event.ToolEnd // nil if no result is recorded
	}
	// finish is the end of a turn.
	finish struct {
		*event.TurnEnd
		models []string // that answered, in order
	}
	// note is a change that the person made.
	note struct{ text string }
	// other is an event that has no form of its own.
	other struct {
		kind string
		body []byte // as JSON
	}
)

func (*prompt) isItem() {}
func (*speech) isItem() {}
func (*call) isItem()   {}
func (*finish) isItem() {}
func (*note) isItem()   {}
func (*other) isItem()  {}

// items makes the pieces of a document of a session's events. A call comes
// where its result does. Partials whose message never came are said as far as
// they go.
func items(events []event.Durable) iter.Seq[item] {
	return func(yield func(item) bool) {
		w := walk{yield: yield, calls: map[string]*call{}}
		for _, e := range events {
			if w.take(e); w.stopped {
				return
			}
		}
		w.settle()
	}
}

// walk is a walk over a session under way.
type walk struct {
	yield   func(item) bool
	stopped bool

	turn     int
	models   []string
	partials []*event.Partial // joined, whose messages are not finished
	calls    map[string]*call
	open     []string // the ids of calls without a result, in order
}

func (w *walk) say(i item) { w.stopped = w.stopped || !w.yield(i) }

func (w *walk) take(e event.Durable) {
	switch e := e.(type) {
	case *event.UserSaid:
		p := &prompt{UserSaid: e}
		if !e.Steered {
			w.settle()
			w.turn++
			p.turn = w.turn
		}
		w.say(p)
	case *event.Partial:
		w.partial(e)
	case *event.MessageDone:
		w.message(e.Message)
	case *event.ToolStart:
		if c := w.calls[e.ID]; c != nil {
			c.title = e.Title
		}
	case *event.Decided:
		if c := w.calls[e.ID]; c != nil {
			c.decided = e
		}
	case *event.TodoSet:
		if c := w.calls[e.ID]; c != nil {
			c.plan = e
		} else {
			w.unknown(e)
		}
	case *event.ToolEnd:
		w.result(e)
	case *event.ShellStart, *event.ShellTold: // its end says it all
	case *event.ShellEnd:
		w.say(ranByPerson(e))
	case *event.StepEnd:
		if m := OneLine(e.Model, maxWords); m != "" && !slices.Contains(w.models, m) {
			w.models = append(w.models, m)
		}
	case *event.TurnEnd:
		w.settle()
		w.say(&finish{TurnEnd: e, models: w.models})
		w.models = nil
	case *event.ModelSet:
		text := e.Model
		if e.Host != "" {
			text += " at " + e.Host
		}
		text += " answers from here on"
		if e.Why != "" {
			text += ": " + e.Why
		}
		w.say(&note{text: text})
	case *event.ModeSet:
		w.say(&note{text: "what is asked about from here on: mode " + e.Mode})
	case *event.Renamed: // the title stands above
	case *event.Compacted:
		w.say(&note{text: "old content was cut from what the model is told from here on"})
	default:
		w.unknown(e)
	}
}

func (w *walk) partial(p *event.Partial) {
	for _, have := range w.partials {
		if have.Reply == p.Reply && have.Kind == p.Kind {
			have.Text += p.Text
			return
		}
	}
	c := *p
	w.partials = append(w.partials, &c)
}

func (w *walk) message(m llm.Message) {
	w.partials = slices.DeleteFunc(w.partials, func(p *event.Partial) bool { return p.Reply == m.Reply && p.Kind == m.Kind })
	if m.Kind != llm.ToolCall {
		w.say(&speech{m})
		return
	}
	if w.calls[m.ID] == nil {
		w.open = append(w.open, m.ID)
	}
	w.calls[m.ID] = &call{message: m, title: CallTitle(m.Name, m.Input)}
}

func (w *walk) result(e *event.ToolEnd) {
	c := w.calls[e.Result.ID]
	if c == nil {
		c = &call{}
	}
	w.forget(e.Result.ID)
	c.end = e
	if e.Title != "" {
		c.title = e.Title
	}
	w.say(c)
}

// ranByPerson is a command that the person typed, as the call that it is like.
func ranByPerson(e *event.ShellEnd) *call {
	return &call{title: "you ran: " + e.Line, end: &event.ToolEnd{Meta: e.Meta, Outcome: e.Outcome, Summary: e.Summary, Duration: e.Duration,
		Result: llm.Message{Kind: llm.ToolResult, ID: e.ID, Text: e.Text, IsError: e.Outcome != event.OK}}}
}

func (w *walk) forget(id string) {
	delete(w.calls, id)
	w.open = slices.DeleteFunc(w.open, func(o string) bool { return o == id })
}

// settle says what nothing more will be heard of.
func (w *walk) settle() {
	for _, p := range w.partials {
		w.say(&speech{llm.Message{Kind: p.Kind, Reply: p.Reply, Text: p.Text, Cut: true}})
	}
	w.partials = nil
	for _, id := range slices.Clone(w.open) {
		c := w.calls[id]
		w.forget(id)
		w.say(c)
	}
}

func (w *walk) unknown(e event.Durable) {
	body, err := event.Encode(e)
	if err != nil {
		return // it has no record either
	}
	var t struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(body, &t) == nil {
		w.say(&other{kind: t.Type, body: body})
	}
}
