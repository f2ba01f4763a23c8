package loop

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/tools"
)

// RunShell runs a command that the person typed, unasked and at once, also
// beside a turn. One runs at a time: another is refused with a NotRun. Interrupt
// ends it, as it does a turn.
type RunShell struct {
	Line string
	Join bool // its output becomes part of the conversation; else the model is never told
}

func (RunShell) isCommand() {}

// NotRun is a preview that answers a RunShell which is refused: what was typed
// belongs in the editor again.
type NotRun struct {
	Line string
	Join bool
	Why  string // in words
}

func (NotRun) isEvent() {}

// The durable events of a command that the person typed.
type (
	// ShellStart is the intent to run it. It is on the disk before it runs.
	ShellStart struct {
		Meta
		ID   string `json:"id"`
		Line string `json:"line"`
		Join bool   `json:"join,omitempty"`
	}
	// ShellEnd is what it came to. While it runs, Progress of its ID shows its
	// output.
	ShellEnd struct {
		Meta
		ID       string        `json:"id"`
		Line     string        `json:"line"`
		Join     bool          `json:"join,omitempty"`
		Outcome  Outcome       `json:"outcome"`
		Summary  string        `json:"summary,omitempty"` // a few words for people
		Text     string        `json:"text"`              // its output, and how it ended
		Duration time.Duration `json:"duration_ns,omitempty"`
	}
	// ShellTold says that the ShellEnd of that ID is part of the conversation
	// from here on: the model is told with its next request. Others have no part
	// in it.
	ShellTold struct {
		Meta
		ID string `json:"id"`
	}
)

// message is what the model is told of a command.
func shellMessage(e *ShellEnd) llm.Message {
	return llm.Message{Kind: llm.User, Text: "[the person ran this command themselves]\n$ " + e.Line + "\n" + strings.TrimRight(e.Text, "\n")}
}

// lost is the end of a command that the program did not live to see.
func lostShell(s *ShellStart, meta Meta) *ShellEnd {
	return &ShellEnd{Meta: meta, ID: s.ID, Line: s.Line, Join: s.Join, Outcome: Uncertain,
		Text: "[the program ended while this ran: whether it took effect is unknown]"}
}

// ran are the commands of the person's that the model has yet to be told of, in
// the order in which they ended.
type ran struct {
	untold []*ShellEnd
	open   []*ShellStart // without an end
}

// take follows the events of commands. It returns the end that the model is told
// of with e, if it is.
func (r *ran) take(e Durable) *ShellEnd {
	switch e := e.(type) {
	case *ShellStart:
		r.open = append(r.open, e)
	case *ShellEnd:
		r.open = slices.DeleteFunc(r.open, func(s *ShellStart) bool { return s.ID == e.ID })
		if e.Join {
			r.untold = append(r.untold, e)
		}
	case *ShellTold:
		if i := slices.IndexFunc(r.untold, func(end *ShellEnd) bool { return end.ID == e.ID }); i >= 0 {
			end := r.untold[i]
			r.untold = slices.Delete(slices.Clone(r.untold), i, i+1)
			return end
		}
		if i := slices.IndexFunc(r.open, func(s *ShellStart) bool { return s.ID == e.ID }); i >= 0 { // its end was taken back
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
func (f *folding) shell(e Durable) {
	if end := f.ran.take(e); end != nil {
		f.Messages = append(f.Messages, shellMessage(end))
	}
}

// runShell starts a command of the person's, and sees it to its end beside all
// else.
func (a *Agent) runShell(c RunShell) {
	if a.o.Shell == nil {
		_ = a.emit(NotRun{c.Line, c.Join, "commands cannot be run here"})
		return
	}
	call, err := a.o.Shell(c.Line, c.Join)
	if err != nil {
		_ = a.emit(NotRun{c.Line, c.Join, err.Error()})
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
		_ = a.emit(NotRun{c.Line, c.Join, "a command of yours still runs"})
		return
	}
	start := &ShellStart{Meta: Meta{Time: a.o.Now()}, ID: "typed-" + strings.ToLower(rand.Text()), Line: c.Line, Join: c.Join}
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
func (a *Agent) seeShell(ctx context.Context, start *ShellStart, call tools.Call, force <-chan struct{}) *ShellEnd {
	c := &toolCall{msg: llm.Message{ID: start.ID, Name: "shell"}, call: call}
	(&Turn{Force: force}).run(ctx, c, func(text string) { _ = a.emit(Progress{ID: start.ID, Text: text}) })
	now := a.o.Now()
	return &ShellEnd{Meta: Meta{Time: now}, ID: start.ID, Line: start.Line, Join: start.Join,
		Outcome: c.end.Outcome, Summary: c.end.Summary, Text: strings.TrimPrefix(c.end.Result.Text, untilThen), Duration: now.Sub(start.Time)}
}

// untold returns what the commands of the person's came to of which the model
// does not know.
func (a *Agent) untold() []*ShellEnd {
	a.log.Lock()
	defer a.log.Unlock()
	return slices.Clone(a.ran.untold)
}

// heard takes over what the session that is gone on with says of commands. One
// that runs meanwhile has its end to come. The caller holds a.log.
func (a *Agent) heard(untold []*ShellEnd) {
	running := a.ran.open
	a.ran = ran{open: running}
	for _, end := range untold {
		if !slices.ContainsFunc(running, func(o *ShellStart) bool { return o.ID == end.ID }) {
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
		t.emit(&ShellTold{Meta: t.now(), ID: end.ID})
		msgs = append(msgs, shellMessage(end))
	}
	return msgs
}
