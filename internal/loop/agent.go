package loop

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/session"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// Options are what an Agent is made of.
type Options struct {
	// Log is where durable events go; nil keeps them nowhere. What it holds is
	// the session that is resumed. The agent does not close it.
	Log    *history.Log
	State  session.State // of the session that is resumed where no log holds it
	Draft  event.Draft   // that was kept of the session
	Model  Model
	Models func(name, effort string) (Model, error) // finds the model of a SetModel
	Mode   event.Mode
	System string
	Tools  []tools.Tool // the agent adds todo and ask, which are its own
	// Interceptors act around every call, also of the commands that the user types.
	Interceptors tools.Interceptors
	Ledger       *workspace.Ledger // that Tools consult, which is filled here; nil keeps none
	Jobs         Jobs              // what runs in the background; nil where nothing can
	// Shell prepares a command that the person typed; told says whether the model
	// is told of it. nil where none can be run.
	Shell  func(line string, told bool) (tools.Call, error)
	Schema *Schema // what the last answer of a turn must fit; nil for any
	// MaxSteps is the number of steps after which a turn asks whether it may go
	// on; 0 is DefaultMaxSteps.
	MaxSteps int
	// MaxReplyBytes limits each reply of the model; 0 is llm.MaxReplyBytes.
	MaxReplyBytes int
	// Attended says that somebody answers questions. Without, what would be
	// asked is refused, and standing permissions do not apply.
	Attended bool
	Paths    policy.Paths // that decide what is protected
	// Forked says that the session is a fork that was just made.
	Forked bool
	// Key returns the key that seals standing permissions in the log. Without it
	// they end with the program.
	Key func() ([]byte, error)

	Now   func() time.Time                                 // nil: the clock
	Sleep func(ctx context.Context, d time.Duration) error // nil: a timer
	Rand  func() float64                                   // nil: math/rand
}

// Agent owns a session: it takes commands, runs one turn at a time and tells of
// it in events.
type Agent struct {
	o   Options
	rec *recorder

	tools []tools.Tool
	conv  *conversation // nil while a turn has it
	over  atomic.Bool   // the end of the turn was sent

	asides sync.WaitGroup // what goes on beside the turn

	sealer func() (policy.Sealer, error) // see newSealer

	mu      sync.Mutex // guards what follows
	model   Model
	policy  policy.Policy
	inbox   []event.Prompt
	answers map[string]chan event.Answer // of the asks that wait
	brake   *brake                       // of the turn that runs
	named   address                      // of the model that the log knows of
	typed   *brake                       // of the command of the person's that runs; nil if none does

}

// NewAgent returns an agent that goes on with the session of o.
func NewAgent(o Options) *Agent {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	a := &Agent{
		o: o, model: o.Model,
		answers: map[string]chan event.Answer{}, conv: newConversation(), brake: newBrake(func() {}),
	}
	a.tools = append(slices.Clone(o.Tools), newOwn(a.todo), newOwn(a.ask))
	a.policy.Mode = o.Mode
	a.sealer = newSealer(o)
	a.rec = newRecorder(o.Log, len(o.State.Events) > 0, func() { a.over.Store(true) })
	a.rec.draft.of = o.Draft
	for _, e := range o.State.Events {
		if record, err := event.Encode(e); err == nil {
			a.rec.places.Add(e, record)
		}
	}
	a.o.State = session.State{} // the recorder has it
	return a
}

// Run carries out commands until they are closed or ctx ends, and closes events
// when everything it started is done. A turn that still runs is interrupted;
// its end is in the log even when nobody takes events any more. Run is called
// once.
//
// It first reads all that a resumed session holds and reports it in an Opened. The
// conversation is folded with the first command that needs it.
func (a *Agent) Run(ctx context.Context, commands <-chan event.Command, events chan<- event.Event) {
	a.rec.start(events, ctx.Done())
	defer close(events)
	defer a.rec.stop()
	defer a.asides.Wait()
	ended := make(chan outcome, 1) // one turn runs at a time
	running := false
	defer func() {
		a.interrupt()
		if running {
			<-ended
		}
	}()
	a.survey(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.jobsChanged():
			_ = a.emit(a.jobsNow())
		case o := <-ended:
			running = a.goOn(ctx, o, ended)
		case c, ok := <-commands:
			if !ok {
				return
			}
			if running && a.over.Load() { // its end was told: what is said now is no steering
				running = a.goOn(ctx, <-ended, ended)
			}
			if p, ok := c.(event.Prompt); ok && !running {
				running = true
				a.start(ctx, p, ended)
				continue
			}
			if running {
				a.steer(c)
			} else {
				a.do(c)
			}
		}
	}
}

// goOn deals with what the person said too late for the turn that ended. After
// one that is done it begins the next turn, which it reports; otherwise the
// person gets it back.
func (a *Agent) goOn(ctx context.Context, o outcome, ended chan<- outcome) bool {
	a.conv = o.conv
	late := a.leftover()
	if o.reason == event.Done && len(late) > 0 {
		a.mu.Lock()
		a.inbox = append(late[1:], a.inbox...)
		a.mu.Unlock()
		a.start(ctx, late[0], ended)
		return true
	}
	for _, p := range late {
		a.rec.draft.giveBack(p)
		_ = a.emit(event.Unsent{Text: p.Text})
	}
	return false
}

// start begins a turn in a goroutine of its own.
func (a *Agent) start(ctx context.Context, p event.Prompt, ended chan<- outcome) {
	ctx, stop := context.WithCancel(ctx)
	a.over.Store(false)
	b := newBrake(stop)
	a.mu.Lock()
	a.brake = b
	a.mu.Unlock()
	c := a.conv
	a.conv = nil
	go func() {
		defer stop()
		ended <- outcome{a.turn(ctx, c, p, b.force), c}
	}()
}

// outcome is how a turn ended, with the conversation that it gives back.
type outcome struct {
	reason event.Reason
	conv   *conversation
}

// turn carries p to its end. It owns c meanwhile.
func (a *Agent) turn(ctx context.Context, c *conversation, p event.Prompt, force <-chan struct{}) (reason event.Reason) {
	defer func() {
		if p := recover(); p != nil { // a mistake of this program ends the turn, not the program
			reason, c.folded = event.ProviderError, false // the log has what was said
			_ = a.emit(&event.TurnEnd{Meta: event.Meta{Time: a.o.Now()}, Reason: reason, Error: fmt.Sprintf("agent itself broke down: %v", p),
				Hint: "what was said is kept; leave and come back with --continue if it goes on"})
		}
	}()
	if err := a.recall(c); err != nil {
		return a.unable(p, err)
	}
	t := &Turn{
		Model: a.currentModel, System: a.o.System, Tools: a.tools, Interceptors: a.o.Interceptors, Schema: a.o.Schema, MaxSteps: a.o.MaxSteps, MaxReplyBytes: a.o.MaxReplyBytes,
		Ledger: a.o.Ledger, Force: force,
		Judge: a.judge, News: func() []string { return a.news(c) }, Ran: a.untold, Confirmed: a.confirmed, Inbox: a.leftover, Emit: a.emit,
		Now: a.o.Now, Sleep: a.o.Sleep, Rand: a.o.Rand, conv: c, outputs: a.outputs(),
	}
	t.Paths = a.o.Paths
	if a.o.Attended {
		t.Approve = a.approve
	}
	t.logErr = a.emitModel()
	msgs := t.tell(t.hear(c.messages), a.news(c)...)
	t.emit(&event.UserSaid{Meta: t.now(), Text: p.Text, Images: p.Images})
	msgs = append(msgs, llm.Message{Kind: llm.User, Text: p.Text, Images: p.Images})
	c.messages = nil // nothing else holds what the turn shortens
	msgs, end := t.Run(ctx, msgs)
	c.messages = msgs
	c.steps += end.Steps
	return end.Reason
}

// unable ends a turn that cannot begin because the session cannot be read, and
// gives the prompt back.
func (a *Agent) unable(p event.Prompt, err error) event.Reason {
	a.rec.draft.giveBack(p)
	_ = a.emit(event.Unsent{Text: p.Text})
	_ = a.emit(&event.TurnEnd{Meta: event.Meta{Time: a.o.Now()}, Reason: event.LogError, Error: err.Error(),
		Hint: "mend what is wrong there and say it again, or begin anew with /new"})
	return event.LogError
}

// steer carries out a command while a turn runs.
func (a *Agent) steer(c event.Command) {
	switch c := c.(type) {
	case event.Prompt:
		a.mu.Lock()
		a.inbox = append(a.inbox, c)
		a.mu.Unlock()
		a.rec.draft.wait(c)
		a.tellUnkept(a.rec.saveDraft())
	case event.Found: // too late
		_ = a.emit(event.Searched{})
	case event.ListPermissions:
		a.listPermissions()
	case event.Rewind, event.Compact:
		_ = a.emit(event.Notice{Text: "That waits for the end of the turn: stop it first."})
	default:
		a.do(c)
	}
}

// do carries out a command other than a prompt.
func (a *Agent) do(c event.Command) {
	switch c := c.(type) {
	case event.Interrupt:
		a.interrupt()
	case event.Answer:
		a.answered(c)
	case event.ListJobs:
		_ = a.emit(a.jobsNow())
	case event.ListPermissions:
		if err := a.recall(a.conv); err != nil { // those of a resumed session
			_ = a.emit(event.Notice{Text: "list the permissions: " + err.Error()})
			return
		}
		a.listPermissions()
	case event.StopJob:
		a.stopJob(c.ID)
	case event.SetMode:
		a.mu.Lock()
		a.policy.Mode = c.Mode
		a.mu.Unlock()
		_ = a.emit(&event.ModeSet{Meta: event.Meta{Time: a.o.Now()}, Mode: string(c.Mode)})
	case event.SetModel:
		a.setModel(c)
	case event.Found:
		a.found(c)
	case event.Rename:
		_ = a.emit(&event.Renamed{Meta: event.Meta{Time: a.o.Now()}, Title: session.FirstWords(c.Title)})
	case event.Rewind:
		a.rewind(c.Keep)
	case event.Compact:
		a.compact()
	case event.SaveDraft:
		a.keepDraft(c.Draft)
	case event.RunShell:
		a.runShell(c)
	}
}

func (a *Agent) setModel(c event.SetModel) {
	if a.o.Models == nil {
		_ = a.emit(event.Notice{Text: "the model cannot be changed here"})
		return
	}
	m, err := a.o.Models(c.Model, c.Effort)
	if err != nil {
		_ = a.emit(event.Notice{Text: err.Error()})
		return
	}
	a.useModel(m)
}

// found takes a model if nothing was said yet.
func (a *Agent) found(c event.Found) {
	defer func() { _ = a.emit(event.Searched{}) }()
	spoken := false
	a.rec.do(func() { spoken = a.rec.spoken })
	if spoken {
		return
	}
	if c.Model != "" {
		a.foundModel(c.Model, c.Why)
	}
	for _, text := range c.Notices {
		_ = a.emit(event.Notice{Text: text})
	}
}

// foundModel switches to a model that was found, and says why.
func (a *Agent) foundModel(name, why string) {
	m, err := a.o.Models(name, "")
	if err != nil {
		_ = a.emit(event.Notice{Text: err.Error()})
		return
	}
	m.Why = why
	a.useModel(m)
	_ = a.emit(event.Notice{Text: m.Name + " answers now: " + m.Why + "."})
}

func (a *Agent) useModel(m Model) {
	a.mu.Lock()
	a.model, a.named = m, address{}
	a.mu.Unlock()
	_ = a.emitModel()
}

// address is a model and where it is: PROVIDER/NAME and a base URL.
type address struct{ model, baseURL string }

// emitModel puts the model on record, unless the log knows it.
func (a *Agent) emitModel() error {
	a.mu.Lock()
	m := a.model
	if m.Confirm != nil { // on record its address would count as approved
		m.BaseURL = ""
	}
	at := address{m.Name, m.BaseURL}
	known := a.named == at
	a.named = at
	a.mu.Unlock()
	if known {
		return nil
	}
	return a.emit(&event.ModelSet{Meta: event.Meta{Time: a.o.Now()}, Model: m.Name, Why: m.Why, Context: m.Context, Effort: m.Effort, BaseURL: m.BaseURL, Host: m.Host})
}

// confirmed takes note that the user approved where the model's requests go.
func (a *Agent) confirmed() {
	a.mu.Lock()
	a.model.Confirm = nil
	a.mu.Unlock()
	_ = a.emitModel()
}

func (a *Agent) currentModel() Model {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.model
}

// leftover takes what the person said while a turn runs.
func (a *Agent) leftover() []event.Prompt {
	a.mu.Lock()
	defer a.mu.Unlock()
	in := a.inbox
	a.inbox = nil
	return in
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
