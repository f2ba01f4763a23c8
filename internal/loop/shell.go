package loop

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tools"
)

// runShell starts a command of the person's, and sees it to its end beside all
// else.
func (a *Agent) runShell(c event.RunShell) {
	if a.o.Shell == nil {
		_ = a.emit(event.NotRun{Line: c.Line, Join: c.Join, Why: "commands cannot be run here"})
		return
	}
	call, err := a.o.Shell(c.Line, c.Join)
	if err != nil {
		_ = a.emit(event.NotRun{Line: c.Line, Join: c.Join, Why: err.Error()})
		return
	}
	ctx, stop := context.WithCancel(context.Background()) // ended by interrupt, also when the agent's ends
	b := newBrake(stop)
	a.mu.Lock()
	busy := a.typed != nil
	if !busy {
		a.typed = b
	}
	a.mu.Unlock()
	if busy {
		stop()
		_ = a.emit(event.NotRun{Line: c.Line, Join: c.Join, Why: "a command of yours still runs"})
		return
	}
	start := &event.ShellStart{Meta: event.Meta{Time: a.o.Now()}, ID: "typed-" + strings.ToLower(rand.Text()), Line: c.Line, Join: c.Join}
	if err := a.emit(start); err != nil {
		call.Run = func(context.Context, tools.Approved) (tools.Result, error) {
			return tools.Result{Text: "[not run: the session could not be saved: " + err.Error() + "]\n", IsError: true}, nil
		}
	}
	a.asides.Go(func() {
		defer stop()
		end := a.seeShell(ctx, start, call, b.force)
		a.mu.Lock()
		a.typed = nil
		a.mu.Unlock()
		_ = a.emit(end)
	})
}

// seeShell runs a command to its end.
func (a *Agent) seeShell(ctx context.Context, start *event.ShellStart, call tools.Call, force <-chan struct{}) *event.ShellEnd {
	c := &toolCall{msg: llm.Message{ID: start.ID, Name: "shell"}, call: call}
	executor{around: a.o.Interceptors, force: force}.run(ctx, tools.Info{ID: start.ID, Tool: "shell"}, c,
		func(text string) { _ = a.emit(event.Progress{ID: start.ID, Text: text}) })
	now := a.o.Now()
	return &event.ShellEnd{Meta: event.Meta{Time: now}, ID: start.ID, Line: start.Line, Join: start.Join,
		Outcome: c.end.Outcome, Summary: c.end.Summary, Text: strings.TrimPrefix(c.end.Result.Text, untilThen), Duration: now.Sub(start.Time)}
}

// untold returns the typed commands that have ended and whose output the model
// has yet to get.
func (a *Agent) untold() (ends []*event.ShellEnd) {
	a.rec.do(func() { ends = slices.Clone(a.rec.typed.Untold) })
	return ends
}

// heard takes over the typed commands of a resumed session, except one that is
// running now. It runs in the recorder's goroutine.
func (a *Agent) heard(untold []*event.ShellEnd) {
	running := a.rec.typed.Open
	a.rec.typed = session.Typed{Open: running}
	for _, end := range untold {
		if !slices.ContainsFunc(running, func(o *event.ShellStart) bool { return o.ID == end.ID }) {
			a.rec.typed.Untold = append(a.rec.typed.Untold, end)
		}
	}
}

// hear appends what the person's commands came to since the model was told last.
func (t *Turn) hear(msgs []llm.Message) []llm.Message {
	if t.Ran == nil {
		return msgs
	}
	for _, end := range t.Ran() {
		t.emit(&event.ShellTold{Meta: t.now(), ID: end.ID})
		msgs = append(msgs, session.ShellMessage(end))
	}
	return msgs
}
