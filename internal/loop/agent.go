package loop

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"agent/internal/loop/budget"
	"agent/internal/loop/delegate"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

// Agent owns a session: it takes commands, runs one turn at a time and reports
// everything as events.
type Agent struct {
	o           Options
	rec         *recorder
	models      *models
	permissions *permissions
	judge       turn.Permissions // permissions, or those of the parent
	budget      *budget.Account
	approvals   *approvals
	user        turn.Approver // approvals, or those of the parent; nil if there is no user
	outputs     turn.Outputs  // nil if nothing is stored
	inbox       *inbox
	shell       *userShell
	titler      *titler
	tools       *toolset
	prompts     *prompts
	sessionKey  string // the session's ID, or a random one if it is not saved

	conv       *turn.Conversation // nil while a turn owns it
	resume     resumption
	running    running
	files      *fileUndo
	background sync.WaitGroup // goroutines in parallel to the turn
}

// running is the turn or the undo that runs, or the last one.
type running struct {
	*interrupter             // nil before the first one
	over         atomic.Bool // the TurnEnd or the answer to the undo is being sent
	automatic    int         // turns in a row that began because a delegate ended
}

// maxAutomatic limits the turns that background delegates start without a message of the user.
const maxAutomatic = 20

// NewAgent returns an agent that continues the session of o.
func NewAgent(o Options) *Agent {
	o.Clock = o.Clock.WithDefaults()
	if o.Workspace.Jobs == nil {
		o.Workspace.Jobs = noJobs{}
	}
	if o.Prompt.Secrets == nil {
		o.Prompt.Secrets = noSecrets{}
	}
	delegates := o.Delegates != nil
	if !delegates {
		o.Delegates = delegate.NewPool(delegate.Options{})
	}
	a := &Agent{o: o}
	a.rec = newRecorder(o, func() { a.running.over.Store(true) })
	a.models = &models{find: o.Models.Find, rec: a.rec, current: o.Models.Current, summary: o.Models.Summary}
	a.permissions = newPermissions(o, a.rec)
	a.judge = a.permissions
	if o.Delegate.Parent == nil && a.permissions.searchAllowed() {
		a.models.setSearch(true)
	}
	a.sessionKey = rand.Text()
	if o.Log != nil {
		a.outputs, a.sessionKey = o.Log, o.Log.Header().ID
	}
	var account *budget.Account // of the parent
	if o.Delegate.Parent != nil {
		account, a.outputs = o.Delegate.Parent.Budget(), o.Delegate.Parent.Outputs()
		a.judge, a.user = o.Delegate.Parent.Permissions(o.Permissions.Mode, o.Permissions.Paths), o.Delegate.Parent.Approver(o.Delegate.Label)
	}
	a.budget = budget.New(o.TurnBudget, o.SessionBudget, account, o.Clock.Now, o.Clock.Sleep)
	a.approvals = &approvals{rec: a.rec, permissions: a.permissions, budget: a.budget, waiting: map[string]chan event.Answer{}}
	if o.Permissions.Attended && o.Delegate.Parent == nil {
		a.user = a.approvals
	}
	o.Delegates.Attach(host{a})
	a.inbox = &inbox{rec: a.rec, jobs: o.Workspace.Jobs, delegates: o.Delegates}
	a.files = newFileUndo(o, a.rec, &a.background)
	a.shell = &userShell{prepare: o.Workspace.Shell, interceptors: o.Interceptors, rec: a.rec, ended: a.files.changed, background: &a.background, over: make(chan struct{}, 1)}
	a.titler = newTitler(o, a.rec, &a.background)
	a.tools = &toolset{own: ownTools(a, delegates), from: o.Connected, only: o.Delegate.Only}
	a.prompts = &prompts{PromptOptions: o.Prompt, schema: o.Schema, tools: a.tools, offer: o.Models.Offer}
	a.conv = turn.NewConversation(o.Workspace.Ledger, a.outputs, o.Prompt.Secrets)
	return a
}

// ownTools returns the tools of a that belong to no connection. The options of a are complete.
func ownTools(a *Agent, delegates bool) []tools.Tool {
	o := &a.o
	own := slices.Clone(o.Tools)
	if o.Delegate.Parent == nil {
		own = append(own, newTodo(a.rec, a.permissions.Mode))
		if a.user != nil {
			own = append(own, newAsk(a.rec, a.user))
		}
		if a.user != nil || o.Permissions.Mode == event.ModePlan { // otherwise it never works
			own = append(own, newPresentPlan(planner{a.rec, a.permissions, a.user}))
		}
	} else { // a delegate answers its parent, and has no plan to approve
		own = append(own, newTodo(a.rec, nil), newAsk(a.rec, a.user))
	}
	if delegates {
		own = append(own, o.Delegates.Tool())
	}
	for _, t := range own {
		tools.ShareSchema(t, o.Delegate.Schemas...)
	}
	if o.Delegate.Only != nil {
		own = slices.DeleteFunc(own, func(t tools.Tool) bool { return !slices.Contains(o.Delegate.Only, t.Accepts().Name) })
	}
	return own
}

// outcome is how a turn ended, with the conversation that it returns.
type outcome struct {
	reason event.Reason
	conv   *turn.Conversation
}

// Run executes commands until the channel is closed, ctx ends or a Finish is done. Then it
// interrupts a running turn, waits for everything that it started, and closes events. The end
// of the turn is logged even if events are no longer received. Run must be called
// only once.
//
// It first reads the session if it resumes one, and reports it in an Opened.
func (a *Agent) Run(ctx context.Context, commands <-chan event.Command, events chan<- event.Event) {
	a.rec.start(events, ctx.Done())
	defer close(events)
	defer a.rec.stop()
	defer a.background.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer a.o.Delegates.Close()
	ended := make(chan outcome, 1) // one turn runs at a time
	running := false
	defer func() {
		a.interrupt()
		if running {
			<-ended
		}
	}()
	a.open(ctx)
	for _, from := range a.o.Notices {
		a.background.Go(func() { a.show(ctx, from) })
	}
	finishing := false
	for !finishing || running || a.shell.busy() {
		select {
		case <-a.shell.over: // Finish may wait for it
		case <-ctx.Done():
			return
		case <-a.o.Workspace.Jobs.Changed():
			_ = a.rec.emit(jobsNow(a.o.Workspace.Jobs, event.Ref{}))
		case <-a.o.Delegates.Changed():
			running = running || a.continueWithNews(ctx, ended)
		case o := <-ended:
			running = a.next(ctx, o, ended)
		case c, ok := <-commands:
			if !ok {
				return
			}
			_, finish := c.(event.Finish)
			finishing = finishing || finish
			running = a.execute(ctx, c, running, ended)
		}
	}
}

// show shows the messages of from to the user until ctx ends.
func (a *Agent) show(ctx context.Context, from <-chan string) {
	for {
		select {
		case <-ctx.Done():
			return
		case text, ok := <-from:
			if !ok {
				return
			}
			a.rec.notify(text)
		}
	}
}

// open reads the session if it is resumed, and reports what the user must know at the start.
func (a *Agent) open(ctx context.Context) {
	a.openSession(ctx)
	a.warnOfWindow()
	if a.o.Models.WebSearch {
		a.wantSearch()
	}
	if a.o.Hooks != nil {
		a.o.Hooks.Begin(func(e event.Event) { _ = a.rec.emit(e) })
	}
	if a.budget.Limited() {
		_ = a.rec.emit(a.budget.Now())
	}
}

// execute executes a command. Running says whether a turn runs; execute reports whether
// one runs afterwards.
func (a *Agent) execute(ctx context.Context, c event.Command, running bool, ended chan outcome) bool {
	if running && a.running.over.Load() { // too late to steer the turn
		running = a.next(ctx, <-ended, ended)
	}
	if running {
		a.doInTurn(ctx, c)
		return true
	}
	return a.begin(ctx, c, ended)
}

// begin executes a command while no turn runs. It reports whether it started a turn.
func (a *Agent) begin(ctx context.Context, c event.Command, ended chan<- outcome) bool {
	switch c := c.(type) {
	case event.Retry:
		a.running.automatic = 0
		a.start(ctx, event.Prompt{}, ended)
	case event.Prompt:
		a.start(ctx, c, ended)
	case event.Compact:
		a.startCompaction(ctx, c.Focus, ended)
	case event.PlanUndo, event.ApplyUndo, event.ListChanges, event.UndoChanges:
		return a.startUndo(ctx, c, ended)
	default:
		a.do(ctx, c)
		return false
	}
	return true
}

// next takes the conversation back after a turn. Prompts that came too late to steer
// that turn start the next one if it was completed; otherwise they are returned to
// the user. It reports whether a turn was started.
func (a *Agent) next(ctx context.Context, o outcome, ended chan<- outcome) bool {
	a.conv = o.conv
	a.files.refresh(ctx, false)
	if o.reason == event.Done {
		a.titler.start(ctx, a.conv.Messages)
	}
	late := a.inbox.Prompts()
	if o.reason == event.Done && len(late) > 0 {
		a.inbox.putBack(late[1:])
		a.start(ctx, late[0], ended)
		return true
	}
	a.rec.giveBack(late...)
	return o.reason == event.Done && a.continueWithNews(ctx, ended)
}

// continueWithNews starts a turn if a background delegate has ended, so that the model gets
// its answer. It reports whether it did.
func (a *Agent) continueWithNews(ctx context.Context, ended chan<- outcome) bool {
	if !a.o.Delegates.HasFinished() {
		return false
	}
	a.running.automatic++
	if n := a.running.automatic - maxAutomatic; n > 0 {
		if n == 1 {
			a.rec.notify(fmt.Sprintf("Background delegates have started %d turns in a row, so their next answers wait. Send a message to continue: the model gets the answers with it.", maxAutomatic))
		}
		return false
	}
	a.start(ctx, event.Prompt{}, ended)
	return true
}

// start starts the turn of p in a goroutine, which sends the outcome to ended.
func (a *Agent) start(ctx context.Context, p event.Prompt, ended chan<- outcome) {
	if !p.IsEmpty() {
		a.running.automatic = 0
	}
	a.startTurn(ctx, ended, p, func(ctx context.Context, t *turn.Turn, c *turn.Conversation) event.TurnEnd { return t.Run(ctx, c, p) })
}

// startCompaction is like start for a compaction that the user requested.
func (a *Agent) startCompaction(ctx context.Context, focus string, ended chan<- outcome) {
	a.startTurn(ctx, ended, event.Prompt{}, func(ctx context.Context, t *turn.Turn, c *turn.Conversation) event.TurnEnd {
		return t.Compact(ctx, c, a.o.Prompt.Secrets.Text(focus))
	})
}

// startTurn starts a goroutine that runs a turn and sends the outcome to ended. p is the
// prompt of the turn; it may be empty.
func (a *Agent) startTurn(ctx context.Context, ended chan<- outcome, p event.Prompt, run func(context.Context, *turn.Turn, *turn.Conversation) event.TurnEnd) {
	a.files.refresh(ctx, true)
	a.inBackground(ctx, ended, func(ctx context.Context, c *turn.Conversation, kill <-chan struct{}) event.Reason {
		return a.turn(ctx, c, p, kill, run)
	})
}

// inBackground starts a goroutine that owns the conversation while it calls run, and
// sends the outcome to ended. An interrupt cancels the context, the second one closes
// kill.
func (a *Agent) inBackground(ctx context.Context, ended chan<- outcome, run func(ctx context.Context, c *turn.Conversation, kill <-chan struct{}) event.Reason) {
	ctx, stop := context.WithCancel(ctx)
	a.running.over.Store(false)
	i := newInterrupter(stop)
	c := a.conv
	a.running.interrupter, a.conv = i, nil
	go func() {
		defer stop()
		ended <- outcome{run(ctx, c, i.kill), c}
	}()
}

// turn loads the session into c and runs a turn with it. It owns c until it returns.
// If the session cannot be loaded, it returns p to the user.
func (a *Agent) turn(ctx context.Context, c *turn.Conversation, p event.Prompt, kill <-chan struct{},
	run func(context.Context, *turn.Turn, *turn.Conversation) event.TurnEnd) (reason event.Reason) {
	defer func() {
		if p := recover(); p != nil { // a bug ends the turn, not the program
			c.Loaded = false // load it again from the log
			reason = a.endTurn(event.ProviderError, fmt.Sprintf("internal error: %v", p),
				"The conversation is saved. If this happens again, quit and run agent --continue. "+event.HintRetry)
		}
	}()
	if err := a.load(ctx, c); err != nil {
		if !p.IsEmpty() {
			a.rec.giveBack(p)
		}
		if ctx.Err() != nil {
			return a.endTurn(event.UserInterrupt, "", "")
		}
		return a.endTurn(event.LogError, err.Error(), "Fix the cause, or start a new session with /new. "+event.HintRetry)
	}
	a.tools.offer(ctx, a.models.Current().Context)
	t := &turn.Turn{
		Models: a.models, Permissions: a.judge, Approver: a.user, Inbox: a.inbox, Emit: a.emit,
		Session: a.sessionKey, Prefix: a.Prefix, Summary: a.models.forSummary,
		Additions: turn.Additions{
			Instructions: func() []string { return a.prompts.instructionNews(a.rec.notify) },
			Mentioned:    a.mentioned, Attach: a.o.Prompt.Attach,
			Situation: func() string { return a.prompts.situation(ctx, a.models.Current().Context, a.judge.Mode()) },
		},
		Tools: a.tools.callable(), Runner: turn.Runner{Interceptors: a.o.Interceptors, Kill: kill}, Instead: insteadOfChange(a.o.Delegate.Parent != nil), Schema: a.o.Schema,
		Hooks: a.hooks(), Evidence: a.o.Evidence, Limits: a.o.Limits, Budget: a.budget, Clock: a.o.Clock,
		Delegated: a.o.Delegate.Parent != nil,
	}
	return run(ctx, t, c).Reason
}

// endTurn emits the end of a turn that failed before or outside turn.Turn.Run.
func (a *Agent) endTurn(reason event.Reason, err, hint string) event.Reason {
	_ = a.emit(&event.TurnEnd{Meta: a.rec.meta(), Reason: reason, Error: err, Hint: hint})
	return reason
}

// doInTurn executes a command while a turn runs.
func (a *Agent) doInTurn(ctx context.Context, c event.Command) {
	switch c := c.(type) {
	case event.Prompt:
		a.running.automatic = 0
		a.inbox.add(c)
	case event.Found: // too late
		_ = a.rec.emit(event.Searched{})
	case event.ListPermissions, event.ExplainPermission, event.RemovePermission:
		a.background.Go(func() { a.permissions.do(c) })
	case event.Rewind, event.Compact, event.EditContext, event.ListContext,
		event.PlanUndo, event.ApplyUndo, event.ListChanges, event.UndoChanges:
		a.rec.answer(event.RefOf(c), "Not possible during a turn. Interrupt it first.")
		if _, lists := c.(event.ListContext); lists {
			_ = a.rec.emit(event.ContextNow{})
		}
	default:
		a.do(ctx, c)
	}
}

// do executes a command other than a prompt.
func (a *Agent) do(ctx context.Context, c event.Command) {
	if a.delegateCommand(c) {
		return
	}
	switch c := c.(type) {
	case event.Interrupt:
		a.interrupt()
	case event.Answer:
		a.approvals.answer(c)
	case event.ListJobs:
		_ = a.rec.emit(jobsNow(a.o.Workspace.Jobs, c.Ref))
	case event.ListPermissions, event.ExplainPermission, event.RemovePermission:
		if err := a.load(ctx, a.conv); err != nil { // a resumed session may have some
			a.rec.answer(event.RefOf(c), "Cannot list permissions: "+err.Error())
			return
		}
		a.permissions.do(c)
	case event.StopJob:
		a.stopJob(c.ID)
	case event.SetMode:
		a.keepSettings()
		a.permissions.setMode(c.Ref, c.Mode)
	case event.SetModel:
		a.keepSettings()
		if a.models.choose(c, "") {
			a.warnOfWindow()
		}
	case event.SetWebSearch:
		a.setWebSearch(c)
	case event.SetBudget:
		a.budget.Set(c.Session, c.Limits)
		now := a.budget.Now()
		now.Ref, now.Reply = c.Ref, true
		_ = a.rec.emit(now)
	case event.Found:
		a.models.found(c)
	case event.Rename:
		_ = a.rec.emit(&event.Renamed{Meta: a.rec.meta(), Ref: c.Ref, Title: session.FirstWords(c.Title)})
	case event.Rewind:
		a.rewind(ctx, a.conv, c)
	case event.EditContext:
		a.editContext(ctx, c)
	case event.ListContext:
		a.listContext(ctx, c.Ref)
	case event.SaveDraft:
		a.rec.setDraft(c.Draft)
		if c.Draft.Text != "" && a.conv != nil {
			_ = a.load(ctx, a.conv) // ahead of the prompt, which reports an error again
		}
	case event.RunShell:
		a.shell.start(c)
	}
}

// interrupt interrupts the running turn, the running command of the user and the
// request for a title, if any.
func (a *Agent) interrupt() {
	a.titler.interrupt()
	a.running.interrupt()
	a.shell.interrupt()
}
