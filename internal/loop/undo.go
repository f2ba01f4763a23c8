package loop

import (
	"context"
	"fmt"
	"sync"

	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
	"agent/internal/loop/undo"
)

// Undo records and undoes file changes. The zero value does neither.
type Undo struct {
	Recorder *undo.Recorder // also one of the interceptors; nil if nothing is recorded
	// Restorer undoes what Recorder records. It is nil in a delegate, whose changes
	// belong to the turns of the main agent.
	Restorer *undo.Restorer
	// Why is why nothing is recorded, for the user: a clause that follows "because".
	Why string
}

// fileUndo assigns file changes to turns, and remembers what can be undone. What
// runs in the background may only call changed.
type fileUndo struct {
	Undo
	rec    *recorder
	idle   *sync.WaitGroup // of goroutines that examine the files
	jobs   Jobs
	parent interface{ Emit(event.Event) error } // of a delegate; nil for a main agent
	agent  string                               // ID of the delegate
	turns  int                                  // number of the last turn
	begun  bool                                 // a turn has begun; only for Agent.Run
	plan   *undo.Plan                           // that the user was shown; nil for none
	listed *undo.Plan                           // of all changes, that the user was shown; nil for none
}

func newFileUndo(o Options, rec *recorder, idle *sync.WaitGroup) *fileUndo {
	u := &fileUndo{Undo: o.Workspace.Undo, rec: rec, idle: idle, jobs: o.Workspace.Jobs}
	if o.Delegate.Parent != nil {
		u.parent, u.agent = o.Delegate.Parent, fmt.Sprint(o.Delegate.Label.ID)
	}
	return u
}

// emit records and reports an event. It also reports what the call, delegate or turn that
// ends with it has changed.
func (a *Agent) emit(e event.Event) error {
	switch e := e.(type) {
	case *event.TurnEnd:
		a.files.endTurn()
	case *event.UserSaid:
		if !e.Steered {
			a.files.assignJobs()
		}
	}
	at, err := a.rec.add(e)
	switch e := e.(type) {
	case *event.UserSaid:
		if !e.Steered {
			a.files.beginTurn(e, at)
		}
	case *event.ToolEnd:
		a.files.changed(e.Result.ID)
	case *event.DelegateEnd:
		a.files.changed(applyID(e.ID))
	}
	return err
}

// changed reports what a finished call changed.
func (u *fileUndo) changed(call string) {
	if u.Recorder == nil {
		return
	}
	u.report(u.Recorder.Changed(call))
}

// report emits a summary of changes, unless it is nil. That of a delegate goes to the
// session of its parent.
func (u *fileUndo) report(c *event.FilesChanged) {
	if c == nil {
		return
	}
	c.Meta = u.rec.meta()
	if u.parent == nil {
		_ = u.rec.emit(c)
		return
	}
	c.Agent = u.agent
	_ = u.parent.Emit(c)
}

// refresh examines the files in the background, until ctx ends. That happens when the
// first turn begins, because the program then waits for the model, and after each turn.
func (u *fileUndo) refresh(ctx context.Context, begins bool) {
	if u.Restorer == nil || begins == u.begun {
		return
	}
	u.begun = true
	u.idle.Go(func() { u.Recorder.Refresh(ctx) })
}

// beginTurn begins the turn of a prompt, whose event has the number at.
func (u *fileUndo) beginTurn(e *event.UserSaid, at int) {
	if u.Restorer == nil {
		return
	}
	u.turns++
	u.begin(undo.Turn{Number: u.turns, At: at, Prompt: session.FirstLine(u.rec.secrets.Text(e.Text)), Time: e.Time})
}

// begin makes later changes belong to t.
func (u *fileUndo) begin(t undo.Turn) {
	u.Recorder.BeginTurn(t)
	u.jobs.NewTurn()
}

// endTurn ends a turn and reports what background jobs changed.
func (u *fileUndo) endTurn() {
	if u.Restorer == nil {
		return
	}
	c, err := u.Recorder.EndTurn(u.jobs.NewTurn)
	if err != nil {
		u.rec.notify("Undo may not restore all changes of this turn: " + err.Error())
	}
	u.report(c)
}

// assignJobs assigns what background jobs changed by now to the last turn, and reports it.
func (u *fileUndo) assignJobs() {
	if u.Restorer != nil {
		u.report(u.Recorder.SettleJobs())
	}
}

// resume takes the number of turns of the resumed session, and finishes an undo that the
// exit of the program interrupted.
func (u *fileUndo) resume(turns int) {
	if u.Restorer == nil {
		return
	}
	u.turns = turns
	if all := u.Restorer.Turns(); len(all) > 0 { // a rewind may have removed some
		u.turns = max(u.turns, all[0].Number)
	}
	done, err := u.Restorer.Recover()
	if err != nil {
		u.rec.notify("An undo was interrupted when the program exited, and cannot be finished: " + err.Error())
	}
	if done == nil {
		return
	}
	u.rec.notify(session.Recovered(done))
	done.Meta = u.rec.meta()
	_ = u.rec.emit(done)
}

// startUndo starts a command about undoing in the background. It reports false if that is
// not possible.
func (a *Agent) startUndo(ctx context.Context, c event.Command, ended chan<- outcome) bool {
	switch {
	case a.files.Restorer == nil:
		why := a.files.Why
		if why == "" {
			why = "the session is not saved"
		}
		a.rec.answer(event.RefOf(c), "File changes cannot be undone, because "+why+".")
		return false
	case a.shell.running.Load() != nil:
		a.rec.answer(event.RefOf(c), "One of your commands is running. Wait for it to end, or interrupt it, before you undo file changes.")
		return false
	}
	a.inBackground(ctx, ended, func(ctx context.Context, conv *turn.Conversation, _ <-chan struct{}) (reason event.Reason) {
		defer func() {
			if p := recover(); p != nil { // a bug ends the undo, not the program
				a.answerUndo(event.Notice{Ref: event.RefOf(c), Text: fmt.Sprintf("Internal error: %v. Check your files before you continue.", p)})
				reason = event.ProviderError
			}
		}()
		if err := a.doUndo(ctx, conv, c); err != nil && ctx.Err() != nil {
			a.answerUndo(event.Notice{Ref: event.RefOf(c), Text: "Undo cancelled. No file was changed."})
			return event.UserInterrupt
		} else if err != nil {
			a.answerUndo(event.Notice{Ref: event.RefOf(c), Text: sentence(err)})
		}
		return event.Done
	})
	return true
}

// answerUndo emits the answer to a command about undoing. Later commands wait for the end
// of that command.
func (a *Agent) answerUndo(e event.Event) {
	a.running.over.Store(true)
	_ = a.rec.emit(e)
}

// doUndo executes a command about undoing. It owns the conversation c. The error is for
// the user.
func (a *Agent) doUndo(ctx context.Context, c *turn.Conversation, cmd event.Command) (err error) {
	u := a.files
	switch cmd := cmd.(type) {
	case event.PlanUndo:
		u.assignJobs()
		events, err := a.lightEvents(ctx)
		if err != nil {
			return err
		}
		back := undo.Back{Redo: cmd.Redo, Turns: cmd.Turns, Removes: cmd.Removes}
		if cmd.To != nil {
			if back.Since, err = session.TimeOf(events, *cmd.To); err != nil {
				return err
			}
		}
		if u.plan, err = u.Restorer.Plan(ctx, back); err != nil {
			return err
		}
		unnumber(u.plan.Turns, events)
		plan := u.Restorer.Preview(u.plan)
		plan.Ref = cmd.Ref
		a.answerUndo(plan)
	case event.ListChanges:
		if u.listed, err = u.Restorer.Changes(ctx); err != nil {
			return err
		}
		now := u.Restorer.PreviewChanges(u.listed)
		now.Ref = cmd.Ref
		a.answerUndo(now)
	case event.ApplyUndo:
		if u.plan == nil || u.plan.ID != cmd.ID {
			return errNoPlan
		}
		return a.apply(ctx, c, u.plan, cmd)
	case event.UndoChanges:
		if u.listed == nil || u.listed.ID != cmd.ID {
			return errNoPlan
		}
		p, err := u.Restorer.Pick(u.listed, cmd.Hunks)
		if err != nil {
			return err
		}
		return a.apply(ctx, c, p, event.ApplyUndo{Ref: cmd.Ref})
	}
	return nil
}

var errNoPlan = fmt.Errorf("this list of changes is no longer current. Nothing was changed")

// unnumber sets the event number of turns whose prompt is no longer in the conversation
// to -1.
func unnumber(turns []event.ChangedTurn, events []event.Durable) {
	for i, t := range turns {
		if !session.PromptAt(events, t.At, t.Prompt) {
			turns[i].At = -1
		}
	}
}

// apply performs a plan at the command cmd. If its Conversation is set, it rewinds c to
// before the first of the turns as well, unless that turn was rewound already. Otherwise
// the todo list follows the files.
func (a *Agent) apply(ctx context.Context, c *turn.Conversation, p *undo.Plan, cmd event.ApplyUndo) error {
	u := a.files
	if err := a.load(ctx, c); err != nil {
		return err
	}
	events, err := a.lightEvents(ctx)
	if err != nil {
		return err
	}
	u.plan, u.listed = nil, nil
	// What background jobs change from here on belongs to no turn that is undone.
	u.begin(undo.Turn{Number: u.turns, At: a.rec.count(), Prompt: afterUndo, Time: a.rec.meta().Time})
	done, err := u.Restorer.Apply(ctx, p)
	if err != nil {
		return fmt.Errorf("the undo failed: %w", err)
	}
	first := session.FirstPrompt(events, p.Turns)
	ctx = context.WithoutCancel(ctx)
	a.running.over.Store(true)
	rewinds := cmd.Conversation && first >= 0 && !p.Redo
	if rewinds {
		a.rewind(ctx, c, event.Rewind{Keep: first})
	}
	done.Meta, done.Ref = a.rec.meta(), cmd.Ref
	if err := a.rec.emit(&done); err != nil {
		return err
	}
	if p.Partial {
		a.rec.notify(partial(&done))
	}
	c.Note(session.UndoneNote(&done))
	if todo, changed := session.TodoAfterUndo(events, first, p.Redo); changed && !rewinds {
		_ = a.rec.emit(&event.TodoSet{Meta: a.rec.meta(), Items: todo})
	}
	return nil
}

// partial tells the user how to restore what an error kept an undo from restoring.
func partial(done *event.Undone) string {
	first, then := "/redo", "/undo"
	if done.Redo {
		first, then = then, first
	}
	return "Some files were not restored. To restore them, fix the problem, use " + first + ", and then " + then + " again."
}

// afterUndo stands for the prompt of changes that background work made after an undo.
const afterUndo = "(background work after an undo)"
