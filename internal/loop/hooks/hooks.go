// Package hooks runs the user's commands at events of a session: they can block a prompt
// or a tool call, change the arguments of a call, add context for the model, and inform.
// No hook can widen a permission: changed arguments are judged like those of the model.
// A hook that fails is reported to the user and changes nothing. Start reading at Runner.
package hooks

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"agent/internal/loop/event"
	"agent/internal/tools/confine"
	"agent/internal/tools/snapshot"
)

// The events at which hooks run.
const (
	SessionStart = "session_start"
	Prompt       = "prompt"
	BeforeTool   = "before_tool"
	AfterTool    = "after_tool"
	Approval     = "approval"
	TurnEnd      = "turn_end"
	Compact      = "compact"
	SessionEnd   = "session_end"
)

// Hook is a command that runs at an event.
type Hook struct {
	// Tool and Path are globs of the name and the paths of a tool call; empty for all.
	Tool, Path string
	Command    string // for the shell
	Claude     bool   // it reads and writes the format of Claude Code
	Limit      time.Duration
	Outside    bool // it runs outside the sandbox
}

// Input is what a hook gets on standard input, as one JSON object. Fields that do not
// belong to the event are missing.
type Input struct {
	Event     string          `json:"event"`
	Session   string          `json:"session,omitempty"` // ID; missing if the session is not saved
	Dir       string          `json:"dir"`               // the workspace
	Agent     string          `json:"agent,omitempty"`   // number of the delegate that makes the call
	Tool      string          `json:"tool,omitempty"`
	Call      string          `json:"call,omitempty"` // ID of the call
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Paths     []string        `json:"paths,omitempty"`     // relative to the workspace, with slashes, or absolute
	Title     string          `json:"title,omitempty"`     // the call in one line, or the question
	Result    string          `json:"result,omitempty"`    // of the call, as the model gets it
	Failed    bool            `json:"failed,omitempty"`    // the call failed
	Prompt    string          `json:"prompt,omitempty"`    // the text of the user
	Reason    string          `json:"reason,omitempty"`    // why the turn ended
	Answer    string          `json:"answer,omitempty"`    // of the turn
	Continued bool            `json:"continued,omitempty"` // a hook has already continued this turn

	unawaited bool // the session does not wait for the hook

	file   string       // the path that a call acts on, as in Paths; empty for none or several
	names  []string     // other names of Paths, for Hook.Path
	locate func(*Input) // sets the paths after a hook has changed Arguments
}

// Options configure a Runner.
type Options struct {
	Session string // ID; empty if the session is not saved
	Dir     string // the workspace, where hooks run
	// Find returns the hooks of an event that may run now, and a problem to show to the user;
	// empty for none. It is called at each event, from several goroutines.
	Find func(event string) ([]Hook, string)
	// Environment returns the variables of a hook, without secrets.
	Environment func() []string
	// Area returns the sandbox; nil if it is turned off. Record returns the order to keep
	// the files that a hook changes; nil if they are not recorded.
	Area   func() *confine.Area
	Record func() *snapshot.Order
	// Mask replaces the secrets in what hooks get; nil keeps them.
	Mask func(string) string
}

// Runner runs the hooks of a session. Its methods are safe for concurrent use.
type Runner struct {
	o     Options
	shell []string // the words before a command line

	mu   sync.Mutex
	emit func(event.Event)

	slow atomic.Int64 // number of hooks that were emitted as event.HookNow

	began   sync.Once
	open    atomic.Bool   // the session has begun
	started chan struct{} // closed when the hooks of SessionStart have run; context is set then
	context string        // of SessionStart; empty once the model has it

	ctx        context.Context // of hooks that only inform
	stop       context.CancelFunc
	background sync.WaitGroup
}

// New returns the runner of a session. Shell holds the words before a command line, such
// as bash, -c.
func New(o Options, shell []string) *Runner {
	if o.Mask == nil {
		o.Mask = func(s string) string { return s }
	}
	if o.Area == nil {
		o.Area = func() *confine.Area { return nil }
	}
	if o.Record == nil {
		o.Record = func() *snapshot.Order { return nil }
	}
	r := &Runner{o: o, shell: shell, emit: func(event.Event) {}, started: make(chan struct{})}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r
}

// Begin runs the hooks of SessionStart in the background. Emit gets the problems of all
// hooks as event.Notice, and slow ones as event.HookNow. It may wait for the front
// end: Listen never calls it.
func (r *Runner) Begin(emit func(event.Event)) {
	r.mu.Lock()
	r.emit = emit
	r.mu.Unlock()
	r.begin()
}

func (r *Runner) begin() {
	r.began.Do(func() {
		r.open.Store(true)
		r.background.Go(func() {
			defer close(r.started)
			r.context = r.run(r.ctx, r.find(SessionStart), Input{Event: SessionStart}).context
		})
	})
}

// Notify sets the function that gets the problems from now on, for the user.
func (r *Runner) Notify(notify func(string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.emit = func(e event.Event) {
		if n, ok := e.(event.Notice); ok {
			notify(n.Text)
		}
	}
}

func (r *Runner) report(text string) { r.send(event.Notice{Text: text}) }

func (r *Runner) send(e event.Event) {
	r.mu.Lock()
	emit := r.emit
	r.mu.Unlock()
	emit(e)
}

// Prompt runs the hooks of a prompt, after those of SessionStart. It returns a note for
// the model, or why the prompt is blocked; both may be empty.
func (r *Runner) Prompt(ctx context.Context, text string) (note, blocked string) {
	r.begin()
	select {
	case <-r.started:
	case <-ctx.Done():
		return "", ""
	}
	out := r.run(ctx, r.find(Prompt), Input{Event: Prompt, Prompt: text})
	if out.blocked {
		return "", out.reason
	}
	note, r.context = joined(r.context, out.context), ""
	if note == "" {
		return "", ""
	}
	return "[Context from the user's hooks]\n" + note, ""
}

// Ended runs the hooks of the end of a turn. If the model is done and no hook has
// continued the turn yet, it waits for them, and its result may be a message with which
// the turn continues. Otherwise they only inform, in the background.
func (r *Runner) Ended(ctx context.Context, reason event.Reason, answer string, continued bool) (more string) {
	in := Input{Event: TurnEnd, Reason: string(reason), Answer: answer, Continued: continued}
	if reason != event.Done || continued {
		r.inform(in)
		return ""
	}
	out := r.run(ctx, r.find(TurnEnd), in)
	if !out.blocked || ctx.Err() != nil {
		return ""
	}
	return "[A hook of the user wants you to continue]\n" + out.reason
}

// Listen gets the events of the session. It never blocks.
func (r *Runner) Listen(e event.Event) {
	switch e := e.(type) {
	case event.Asked:
		in := Input{Event: Approval, Title: cmp.Or(e.Ask.Question, e.Ask.Title), Agent: e.Ask.Agent}
		for _, t := range e.Ask.Targets {
			if t.Kind == event.PathTarget {
				in.Paths = append(in.Paths, t.Value)
			}
		}
		r.inform(in)
	case *event.Compacted:
		r.inform(Input{Event: Compact, Reason: string(e.Step)})
	}
}

// inform runs hooks in the background, and ignores what they print.
func (r *Runner) inform(in Input) {
	in.unawaited = true
	r.background.Go(func() { r.run(r.ctx, r.find(in.Event), in) })
}

const (
	// lastLimit is how long Close waits for hooks that run in the background.
	lastLimit = 2 * time.Second
	// endLimit is the time limit of each hook of SessionEnd.
	endLimit = 10 * time.Second
)

// Close ends the hooks that still run and runs those of SessionEnd, if the session has
// begun.
func (r *Runner) Close() {
	if !r.open.Load() {
		return
	}
	late := time.AfterFunc(lastLimit, r.stop)
	r.background.Wait()
	late.Stop()
	all := r.find(SessionEnd)
	for i := range all {
		all[i].Limit = min(all[i].limit(), endLimit)
	}
	r.run(context.Background(), all, Input{Event: SessionEnd})
	r.stop()
}
