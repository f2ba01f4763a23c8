package loop

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// message is what the model is told of a command.
func shellMessage(e *event.ShellEnd) llm.Message {
	return llm.Message{Kind: llm.User, Text: "[the person ran this command themselves]\n$ " + e.Line + "\n" + strings.TrimRight(e.Text, "\n")}
}

// lost is the end of a command that the program did not live to see.
func lostShell(s *event.ShellStart, meta event.Meta) *event.ShellEnd {
	return &event.ShellEnd{Meta: meta, ID: s.ID, Line: s.Line, Join: s.Join, Outcome: event.Uncertain,
		Text: "[the program ended while this ran: whether it took effect is unknown]"}
}

// ran are the commands of the person's that the model has yet to be told of, in
// the order in which they ended.
type ran struct {
	untold []*event.ShellEnd
	open   []*event.ShellStart // without an end
}

// take follows the events of commands. It returns the end that the model is told
// of with e, if it is.
func (r *ran) take(e event.Durable) *event.ShellEnd {
	switch e := e.(type) {
	case *event.ShellStart:
		r.open = append(r.open, e)
	case *event.ShellEnd:
		r.open = slices.DeleteFunc(r.open, func(s *event.ShellStart) bool { return s.ID == e.ID })
		if e.Join {
			r.untold = append(r.untold, e)
		}
	case *event.ShellTold:
		if i := slices.IndexFunc(r.untold, func(end *event.ShellEnd) bool { return end.ID == e.ID }); i >= 0 {
			end := r.untold[i]
			r.untold = slices.Delete(slices.Clone(r.untold), i, i+1)
			return end
		}
		if i := slices.IndexFunc(r.open, func(s *event.ShellStart) bool { return s.ID == e.ID }); i >= 0 { // its end was taken back
			start := *r.open[i]
			end := lostShell(&start, e.Meta)
			start.Join = false // once is enough
			r.open = slices.Clone(r.open)
			r.open[i] = &start
			return end
		}
	}
	return nil
}

// shell folds the events of commands.
func (f *folding) shell(e event.Durable) {
	if end := f.ran.take(e); end != nil {
		f.Messages = append(f.Messages, shellMessage(end))
	}
}

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
	(&Turn{Force: force}).run(ctx, c, func(text string) { _ = a.emit(event.Progress{ID: start.ID, Text: text}) })
	now := a.o.Now()
	return &event.ShellEnd{Meta: event.Meta{Time: now}, ID: start.ID, Line: start.Line, Join: start.Join,
		Outcome: c.end.Outcome, Summary: c.end.Summary, Text: strings.TrimPrefix(c.end.Result.Text, untilThen), Duration: now.Sub(start.Time)}
}

// untold returns what the commands of the person's came to of which the model
// does not know.
func (a *Agent) untold() []*event.ShellEnd {
	a.log.Lock()
	defer a.log.Unlock()
	return slices.Clone(a.ran.untold)
}

// heard takes over what the session that is gone on with says of commands. One
// that runs meanwhile has its end to come. The caller holds a.log.
func (a *Agent) heard(untold []*event.ShellEnd) {
	running := a.ran.open
	a.ran = ran{open: running}
	for _, end := range untold {
		if !slices.ContainsFunc(running, func(o *event.ShellStart) bool { return o.ID == end.ID }) {
			a.ran.untold = append(a.ran.untold, end)
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
		msgs = append(msgs, shellMessage(end))
	}
	return msgs
}
