package session

import (
	"iter"
	"slices"
	"strings"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/plan"
	"agent/internal/loop/session/calls"
	"agent/internal/loop/window"
)

// State is the state of a session when it is resumed.
type State struct {
	Messages []llm.Message
	// Events are all durable events in order, for the front end. Partials and removed
	// events are not among them.
	Events []event.Durable
	Model  string // PROVIDER/NAME of the last ModelSet
	Effort string // reasoning effort; empty for the model's default
	// BaseURL and Host are those of that ModelSet. BaseURL is empty in old logs.
	BaseURL, Host string
	Mode          string // of the last ModeSet
	Usage         llm.Usage
	Steps         int               // of the whole session
	Todo          []event.TodoItem  // the model's plan
	Plan          *event.PlanSet    // the newest approved one; nil if there is none
	Prefix        *event.Prefix     // of the requests; nil in old logs
	Situation     []string          // the messages that describe the environment
	Title         string            // set by the user; empty for the default
	UnsentOutputs []*event.ShellEnd // typed commands whose output the model has not received
	Standing      Standing
	// Closing are the missing events of a session whose program exited during a turn:
	// a truncated answer, the ends of delegates, the one result of each open call, the
	// end of the turn. ReplayRecords adds those of Index.Lost. They are included in Messages and
	// Events. The caller must append them to the log.
	Closing []event.Durable
}

// ReplayRecords reads a session. It stops with an error at a record that cannot be read, and
// skips records of unknown types.
func ReplayRecords(records iter.Seq2[history.Record, error]) (State, error) {
	g, err := collect(records)
	f := g.replay()
	for _, e := range f.all.lost() {
		f.closing(e)
	}
	return f.state(), err
}

// Replay applies the events of a session one after another.
type Replay struct {
	State
	Typed    Typed            // commands that the user typed
	Meter    window.Meter     // of the model's window
	Marks    window.Marks     // of the compactions
	Readings []window.Reading // file contents that the model has seen
	all      collection       // of the events that ReplayRecords has read; Add does not need them
	open     calls.Open
	turn     openTurn
}

// openTurn is a turn that has not ended.
type openTurn struct {
	open  bool // false between turns
	began time.Time
	steps int
	usage llm.Usage
}

// NewReplay returns a Replay of no events.
func NewReplay() *Replay { return &Replay{} }

func (f *Replay) state() State {
	f.Title, f.Events = f.all.title, f.all.events
	f.UnsentOutputs = f.Typed.UnsentOutputs
	return f.State
}

// Add applies the next event.
func (f *Replay) Add(e event.Durable) {
	f.Standing.Add(e)
	call := f.open.Take(e)
	switch e := e.(type) {
	case *event.UserSaid:
		f.addPrompt(e)
	case *event.MessageDone:
		if !f.turn.open { // a retry begins a turn without a prompt
			f.turn = openTurn{open: true, began: e.Time}
		}
		f.Messages = append(f.Messages, e.Message)
	case *event.ToolEnd:
		if call != nil { // else it is a second result, or a result without a call
			f.Messages = append(f.Messages, e.Result)
		}
		if len(e.Reads) > 0 {
			f.Readings = append(f.Readings, window.Reading{Step: f.Steps + 1, Call: e.Result.ID, Files: e.Reads})
		}
	case *event.StepEnd:
		f.endStep(e)
	case *event.TurnEnd:
		f.turn = openTurn{began: f.turn.began}
	case *event.Compacted:
		f.compact(e)
	case *event.ModelSet:
		f.setModel(e)
	case *event.ModeSet:
		f.Mode = e.Mode
	case *event.TodoSet:
		f.Todo = e.Items
	case *event.PlanSet:
		f.setPlan(e)
	case *event.DelegateEnd:
		f.spend(e.Usage)
	case *event.Prefix:
		f.Prefix = e
	case *event.Undone:
		f.Abandon() // in a damaged log
		f.Messages = append(f.Messages, llm.Message{Kind: llm.User, Text: UndoneNote(e), Note: true})
	default:
		f.shell(e)
	}
}

// endStep applies the end of a step: its usage, and the size of the context window that
// the provider counted.
func (f *Replay) endStep(e *event.StepEnd) {
	f.turn.steps++
	f.Steps++
	f.spend(e.Usage)
	said := len(f.Messages)
	for said > 0 && f.Messages[said-1].Kind == llm.ToolResult {
		said--
	}
	before := said
	for before > 0 && f.Messages[before-1].Reply == e.Reply {
		before--
	}
	f.Meter = f.Meter.Counted(e.Usage, before, said)
}

// compact applies a compaction.
func (f *Replay) compact(e *event.Compacted) {
	prefix := 0
	if f.Prefix != nil {
		prefix = window.PrefixTokens(f.Prefix.System, f.Prefix.Tools)
	}
	f.Meter = f.Meter.Compacted(prefix, f.Messages)
	f.Messages, f.Marks, _ = window.Apply(f.Messages, f.Marks, e)
	f.spend(e.Usage)
}

// spend adds what a request used to the open turn and to the session.
func (f *Replay) spend(u llm.Usage) {
	f.turn.usage, f.Usage = f.turn.usage.Add(u), f.Usage.Add(u)
}

// setModel sets the model from e.
func (s *State) setModel(e *event.ModelSet) {
	s.Model, s.Effort, s.BaseURL, s.Host = e.Model, e.Effort, e.BaseURL, e.Host
}

// addPrompt adds a message of the user, or of the program for the user.
func (f *Replay) addPrompt(e *event.UserSaid) {
	if !e.Steered {
		f.Abandon()
		f.turn = openTurn{open: f.turn.open, began: e.Time}
	}
	f.turn.open = f.turn.open || !isNote(e)
	f.Messages = append(f.Messages, llm.Message{Kind: llm.User, Text: e.Text, Images: e.Images, Note: isNote(e)})
	if e.Situation {
		f.Situation = append(f.Situation, e.Text)
	}
}

// Abandon adds a result to every open call. A call is open at the beginning of a turn
// only in a damaged log or after a crashed turn.
func (f *Replay) Abandon() {
	for _, c := range f.open {
		f.Messages = append(f.Messages, endOf(c, event.Meta{}).Result)
	}
	f.open = nil
}

// close completes the open turn with the Closing events.
func (f *Replay) close() {
	meta := event.Meta{Time: f.all.last}
	for _, k := range slices.Clone(f.all.order) {
		p := f.all.partial[k]
		if strings.TrimSpace(p.Text) == "" {
			continue
		}
		f.closing(&event.MessageDone{Meta: meta, Message: llm.Message{Kind: k.kind, Reply: k.reply, Text: p.Text, Cut: true}})
	}
	for _, c := range slices.Clone(f.open) {
		if c.Delegate != nil && c.DelegateEnd == nil {
			f.closing(f.all.delegates.end(c.Delegate, meta))
		}
		f.closing(endOf(c, meta))
	}
	if f.turn.open {
		n := len(f.Messages)
		cut := n > 0 && f.Messages[n-1].Kind == llm.Assistant && f.Messages[n-1].Cut
		f.closing(&event.TurnEnd{Meta: meta, Reason: event.UserInterrupt, Steps: f.turn.steps, Usage: f.turn.usage, Cut: cut, Unanswered: llm.Unanswered(f.Messages),
			Duration: max(f.all.last.Sub(f.turn.began), 0), Error: "the program exited during this turn"})
	}
}

func (f *Replay) closing(e event.Durable) {
	f.Closing = append(f.Closing, e)
	f.all.add(e)
	f.Add(e)
}

// endOf returns the result of a call that was open when the program exited.
func endOf(c *calls.Call, meta event.Meta) *event.ToolEnd {
	end := &event.ToolEnd{Meta: meta, Title: c.Message.Name, Outcome: event.Interrupted, Result: llm.Message{
		Kind: llm.ToolResult, Reply: c.Message.Reply, ID: c.Message.ID, IsError: true,
		Text: "not run: the program exited before this call started",
	}}
	if c.Start != nil {
		end.Title, end.Effect, end.Outcome = c.Start.Title, c.Start.Effect, event.Uncertain
		end.Result.Text = "interrupted: the program exited during this call. It may or may not have taken effect: check before you run it again"
	}
	if c.DelegateEnd != nil {
		endDelegate(c, end)
	}
	if c.Plan != nil {
		end.Outcome, end.Summary = event.OK, plan.Summary(c.Plan)
		end.Result.Text, end.Result.IsError = plan.Result(c.Plan), false
	}
	if c.Answer == nil {
		return end
	}
	if text := AnswerText(c.Answer); text != "" { // do not ask the user again
		end.Outcome, end.Summary = event.OK, AnswerSummary(c.Answer)
		end.Result.Text, end.Result.IsError = text, false
	}
	return end
}

// setPlan applies a plan. The program may have exited before it recorded the mode and
// the todo list that follow from an approval.
func (f *Replay) setPlan(e *event.PlanSet) {
	if e.State == event.PlanApproved {
		f.Plan = e
		f.Mode, f.Todo = e.Mode, plan.Todo(e.Plan)
	}
}

// shell applies the events of typed commands.
func (f *Replay) shell(e event.Durable) {
	if end := f.Typed.Take(e); end != nil {
		f.Messages = append(f.Messages, ShellMessage(end))
	}
}
