package loop

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
	"agent/internal/loop/window"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// Options are what an Agent is made of.
type Options struct {
	// Log is where durable events go; nil keeps them nowhere. What it holds is
	// the session that is resumed. The agent does not close it.
	Log    *history.Log
	Draft  event.Draft // that was kept of the session
	Model  turn.Model
	Models func(name, effort string) (turn.Model, error) // finds the model of a SetModel
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
	Schema *turn.Schema // what the last answer of a turn must fit; nil for any
	// MaxSteps is the number of steps after which a turn asks whether it may go
	// on; 0 is turn.DefaultMaxSteps.
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

// Agent owns a session: it takes commands, runs one turn at a time and reports
// everything in events.
type Agent struct {
	o           Options
	clock       turn.Clock
	rec         *recorder
	models      *models
	permissions *permissions
	approvals   *approvals
	user        turn.Approver // approvals; nil if there is no user
	inbox       *inbox
	shell       *userShell
	tools       []tools.Tool

	conv       *turn.Conversation // nil while a turn has it
	folded     *session.Folding   // the first events of the session, as survey read them; nil once load has used it
	folds      int                // number of these events
	running    *interrupter       // of the last turn
	over       atomic.Bool        // the end of the turn was sent
	background sync.WaitGroup     // what runs in parallel to the turn
}

// NewAgent returns an agent that continues the session of o.
func NewAgent(o Options) *Agent {
	clock := turn.Clock{Now: o.Now, Sleep: o.Sleep, Rand: o.Rand}.OrReal()
	o.Now = clock.Now
	if o.Jobs == nil {
		o.Jobs = noJobs{}
	}
	a := &Agent{clock: clock}
	a.rec = newRecorder(o, func() { a.over.Store(true) })
	a.o = o
	a.models = &models{find: o.Models, rec: a.rec, current: o.Model}
	a.permissions = newPermissions(o, a.rec)
	a.approvals = &approvals{rec: a.rec, permissions: a.permissions, waiting: map[string]chan event.Answer{}}
	if o.Attended {
		a.user = a.approvals
	}
	a.inbox = &inbox{rec: a.rec, jobs: o.Jobs}
	a.shell = &userShell{prepare: o.Shell, interceptors: o.Interceptors, rec: a.rec, background: &a.background}
	a.tools = append(slices.Clone(o.Tools), newTodo(a.rec), newAsk(a.rec, a.user))
	var outputs turn.Outputs
	if o.Log != nil {
		outputs = o.Log
	}
	a.conv = turn.NewConversation(o.Ledger, outputs)
	return a
}

// outcome is how a turn ended, with the conversation that it gives back.
type outcome struct {
	reason event.Reason
	conv   *turn.Conversation
}

// Run carries out commands until they are closed or ctx ends, and closes events
// when everything it started is done. A turn that still runs is interrupted;
// its end is in the log even when nobody takes events any more. Run is called
// once.
//
// It first reads all that a resumed session holds and reports it in an Opened.
func (a *Agent) Run(ctx context.Context, commands <-chan event.Command, events chan<- event.Event) {
	a.rec.start(events, ctx.Done())
	defer close(events)
	defer a.rec.stop()
	defer a.background.Wait()
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
		case <-a.o.Jobs.Changed():
			a.listJobs()
		case o := <-ended:
			running = a.next(ctx, o, ended)
		case c, ok := <-commands:
			if !ok {
				return
			}
			if running && a.over.Load() { // its end was sent: what comes now does not steer it
				running = a.next(ctx, <-ended, ended)
			}
			if _, ok := c.(event.Retry); ok && !running {
				running = true
				a.start(ctx, event.Prompt{}, ended)
				continue
			}
			if p, ok := c.(event.Prompt); ok && !running {
				running = true
				a.start(ctx, p, ended)
				continue
			}
			if running {
				a.doInTurn(c)
			} else {
				a.do(c)
			}
		}
	}
}

// next takes the conversation back from the turn that ended, and deals with the
// prompts that came too late for it. If the turn is done they start the next one,
// which it reports; otherwise the user gets them back.
func (a *Agent) next(ctx context.Context, o outcome, ended chan<- outcome) bool {
	a.conv = o.conv
	late := a.inbox.Prompts()
	if o.reason == event.Done && len(late) > 0 {
		a.inbox.putBack(late[1:])
		a.start(ctx, late[0], ended)
		return true
	}
	a.rec.giveBack(late...)
	return false
}

// start starts a turn in a goroutine of its own.
func (a *Agent) start(ctx context.Context, p event.Prompt, ended chan<- outcome) {
	ctx, stop := context.WithCancel(ctx)
	a.over.Store(false)
	i := newInterrupter(stop)
	c := a.conv
	a.running, a.conv = i, nil
	go func() {
		defer stop()
		ended <- outcome{a.turn(ctx, c, p, i.kill), c}
	}()
}

// turn carries p to its end; without a prompt it sends the conversation again. It owns c meanwhile.
func (a *Agent) turn(ctx context.Context, c *turn.Conversation, p event.Prompt, kill <-chan struct{}) (reason event.Reason) {
	defer func() {
		if p := recover(); p != nil { // a mistake of this program ends the turn, not the program
			c.Loaded = false // the log has what was said
			reason = a.endTurn(event.ProviderError, fmt.Sprintf("agent itself broke down: %v", p),
				"what was said is kept; leave and come back with --continue if it goes on")
		}
	}()
	if err := a.load(c); err != nil {
		if p.Text != "" || len(p.Images) > 0 {
			a.rec.giveBack(p)
		}
		return a.endTurn(event.LogError, err.Error(), "mend what is wrong there and say it again, or begin anew with /new")
	}
	t := &turn.Turn{
		Models: a.models, Permissions: a.permissions, Approver: a.user, Inbox: a.inbox, Emit: a.rec.emit,
		System: a.o.System, Tools: a.tools, Runner: turn.Runner{Interceptors: a.o.Interceptors, Kill: kill}, Schema: a.o.Schema,
		Limits: turn.Limits{Steps: a.o.MaxSteps, ReplyBytes: a.o.MaxReplyBytes}, Clock: a.clock,
	}
	return t.Run(ctx, c, p).Reason
}

// endTurn emits the end of a turn that could not run.
func (a *Agent) endTurn(reason event.Reason, err, hint string) event.Reason {
	_ = a.rec.emit(&event.TurnEnd{Meta: a.rec.meta(), Reason: reason, Error: err, Hint: hint})
	return reason
}

// doInTurn carries out a command while a turn runs.
func (a *Agent) doInTurn(c event.Command) {
	switch c := c.(type) {
	case event.Prompt:
		a.inbox.add(c)
	case event.Found: // too late
		_ = a.rec.emit(event.Searched{})
	case event.ListPermissions:
		a.background.Go(a.permissions.list)
	case event.Rewind, event.Compact:
		a.rec.notify("That waits for the end of the turn: stop it first.")
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
		a.approvals.answer(c)
	case event.ListJobs:
		a.listJobs()
	case event.ListPermissions:
		if err := a.load(a.conv); err != nil { // those of a resumed session
			a.rec.notify("list the permissions: " + err.Error())
			return
		}
		a.background.Go(a.permissions.list)
	case event.StopJob:
		a.stopJob(c.ID)
	case event.SetMode:
		a.permissions.setMode(c.Mode)
	case event.SetModel:
		a.models.choose(c.Model, c.Effort, "")
	case event.Found:
		a.models.found(c)
	case event.Rename:
		_ = a.rec.emit(&event.Renamed{Meta: a.rec.meta(), Title: session.FirstWords(c.Title)})
	case event.Rewind:
		a.rewind(c.Keep)
	case event.Compact:
		a.compact()
	case event.SaveDraft:
		a.rec.do(func() {
			a.rec.draft.draft = c.Draft
			a.rec.saveDraft()
		})
		if c.Draft.Text != "" && a.conv != nil {
			_ = a.load(a.conv) // so that the prompt need not wait for it; an error comes again with that
		}
	case event.RunShell:
		a.shell.start(c)
	}
}

// interrupt stops the turn and the user's command that run, if any.
func (a *Agent) interrupt() {
	a.running.interrupt()
	a.shell.interrupt()
}

// compact shortens old content because the user wants it.
func (a *Agent) compact() {
	if err := a.load(a.conv); err != nil {
		a.rec.notify("Nothing was cut: " + err.Error())
		return
	}
	need := window.Need{Enough: a.conv.Tokens() / 4, Least: 1, Why: "asked for"}
	if !a.conv.Compact(need, func(e event.Event) { _ = a.rec.emit(e) }, a.rec.meta) {
		a.rec.notify("There is nothing to cut: what is old is short already.")
	}
}
