package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tools/confine"
	"agent/internal/tools/process"
	"agent/internal/tools/shell"
)

const (
	defaultLimit = 60 * time.Second
	// maxOutput limits the standard output of a hook, in bytes.
	maxOutput = 64 << 10
	// maxContext limits the context or the reason of a hook, in bytes.
	maxContext = 16 << 10
	// maxReported limits a problem that is shown to the user, in bytes.
	maxReported = 500
	// maxNamed limits a command in a message, in bytes.
	maxNamed = 80
)

// limit returns the time limit of h.
func (h Hook) limit() time.Duration {
	if h.Limit > 0 {
		return h.Limit
	}
	return defaultLimit
}

// name returns the command of h for a message.
func (h Hook) name() string {
	return "`" + phrase.Clip(strings.Join(strings.Fields(h.Command), " "), maxNamed) + "`"
}

// reply is what a hook decided.
type reply struct {
	Decision  string          `json:"decision"` // "block" or empty
	Reason    string          `json:"reason"`   // of a block
	Context   string          `json:"context"`
	Arguments json.RawMessage `json:"arguments"`
}

// outcome is what several hooks decided together.
type outcome struct {
	blocked bool
	reason  string          // of the block, with the name of the hook
	context string          // of all hooks
	changed json.RawMessage // the arguments; nil if no hook changed them
	by      string          // the hook that changed them last
}

// find returns the hooks of an event, for a call of a tool with one of names.
func (r *Runner) find(event string, names ...string) []Hook {
	all, problem := r.o.Find(event)
	if problem != "" {
		r.report(problem)
	}
	return slices.DeleteFunc(slices.Clone(all), func(h Hook) bool { return !h.of(names) })
}

// run runs the hooks for the paths of a call, or all hooks of another event, in order until
// one blocks. Each gets the arguments as the hooks before it left them. A hook that fails is
// reported and changes nothing.
func (r *Runner) run(ctx context.Context, all []Hook, in Input) (out outcome) {
	in.Session, in.Dir = r.o.Session, r.o.Dir
	in.Prompt, in.Result, in.Answer, in.Title = r.o.Mask(in.Prompt), r.o.Mask(in.Result), r.o.Mask(in.Answer), r.o.Mask(in.Title)
	for _, h := range all {
		if !h.on(in.Paths) && !h.on(in.names) {
			continue
		}
		ended := r.watch(h, in)
		got, err := r.one(ctx, h, r.masked(in))
		ended()
		if ctx.Err() != nil {
			return out
		}
		if err == nil && len(got.Arguments) > 0 && in.Event == BeforeTool {
			err = checkArguments(got.Arguments)
		}
		if err != nil {
			r.report(phrase.Clip(fmt.Sprintf("The hook %s at %s failed: %v", h.name(), in.Event, err), maxReported))
			continue
		}
		out.context = joined(out.context, clipped(got.Context))
		if got.Decision == "block" {
			out.blocked, out.reason = true, clipped(got.Reason)
			if out.reason == "" {
				out.reason = "blocked by the hook " + h.name()
			}
			return out
		}
		if len(got.Arguments) > 0 && in.Event == BeforeTool {
			in.Arguments, out.changed, out.by = got.Arguments, got.Arguments, h.name()
			in.locate(&in)
		}
	}
	return out
}

// masked returns in without secrets in its paths.
func (r *Runner) masked(in Input) Input {
	paths := make([]string, 0, len(in.Paths))
	for _, p := range in.Paths {
		paths = append(paths, r.o.Mask(p))
	}
	in.Paths, in.file = paths, r.o.Mask(in.file)
	return in
}

// shownAfter is how long a hook must run before the user sees that it does.
const shownAfter = time.Second

// watch emits that a hook runs if it is slow and the session waits for it. The caller calls
// ended when the hook has ended.
func (r *Runner) watch(h Hook, in Input) (ended func()) {
	if in.unawaited {
		return func() {}
	}
	now := event.HookNow{Event: in.Event, Command: phrase.Clip(h.Command, maxReported), Agent: in.Agent, For: shownAfter}
	shown := make(chan struct{})
	late := time.AfterFunc(shownAfter, func() {
		defer close(shown)
		now.ID = int(r.slow.Add(1))
		r.send(now)
	})
	began := time.Now()
	return func() {
		if !late.Stop() {
			<-shown
			now.For, now.Ended = time.Since(began), true
			r.send(now)
		}
	}
}

// checkArguments returns an error unless b is a JSON object.
func checkArguments(b json.RawMessage) error {
	if b[0] != '{' {
		return errors.New("arguments must be an object")
	}
	return nil
}

// one runs one hook. An error says how it failed, for the user.
func (r *Runner) one(ctx context.Context, h Hook, in Input) (reply, error) {
	ctx, stop := context.WithTimeout(ctx, h.limit())
	defer stop()
	var form any = in
	env := r.o.Environment()
	if h.Claude {
		form, env = in.claude(), append(env, "CLAUDE_PROJECT_DIR="+r.o.Dir)
	}
	text, err := json.Marshal(form)
	if err != nil {
		return reply{}, err
	}
	p, guard, err := r.start(h, process.Program{Args: append(slices.Clone(r.shell), h.Command), Dir: r.o.Dir, Env: env, Grace: time.Second})
	if err != nil {
		return reply{}, err
	}
	defer func() {
		p.Kill()
		<-p.Done()
		for _, n := range guard.End() {
			r.report(phrase.Clip(fmt.Sprintf("The hook %s at %s: %s", h.name(), in.Event, n.Text), maxReported))
		}
	}()
	ended := context.AfterFunc(ctx, p.Kill)
	defer ended()
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		_, _ = p.Stdin().Write(append(text, '\n')) // many hooks do not read it
		_ = p.Stdin().Close()
	}()
	out, err := io.ReadAll(io.LimitReader(p.Stdout(), maxOutput+1))
	if len(out) > maxOutput {
		p.Kill()
		<-wrote
		return reply{}, fmt.Errorf("it printed more than %d KiB", maxOutput>>10)
	}
	<-p.Done()
	p.Close()
	<-wrote
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return reply{}, fmt.Errorf("it ran longer than %v, its time limit", h.limit())
	case ctx.Err() != nil:
		return reply{}, ctx.Err()
	case err != nil:
		return reply{}, fmt.Errorf("read its output: %w", err)
	}
	return r.outcome(h, in, out, p, guard)
}

// outcome returns the reply of a hook that has ended.
func (r *Runner) outcome(h Hook, in Input, out []byte, p *process.Process, guard *confine.Guard) (reply, error) {
	code, how := p.ExitStatus()
	switch stderr := strings.TrimSpace(p.Log().String()); code {
	case 0:
		return parse(h, in, out)
	case 2:
		return reply{Decision: "block", Reason: stderr}, nil
	default:
		how = strings.TrimSuffix(how+": "+stderr, ": ")
		if failed, ok := shell.SandboxFailure(guard.Profile(), r.o.Dir, stderr, code, shell.Kept{}); ok {
			how += ". The sandbox of hooks probably caused this: " + failed.String() + `. To run it outside: "sandbox": false in a hook of your configuration`
		}
		return reply{}, errors.New(how)
	}
}

// errNoSandbox is the error of a hook that does not run.
var errNoSandbox = errors.New(`it did not run, because there is no sandbox on this system. To run it without one: "sandbox": false in a hook of your configuration`)

// start starts a hook, in the sandbox unless it is turned off or the hook says otherwise:
// see confine.Area.ProgramExtents.
func (r *Runner) start(h Hook, program process.Program) (*process.Process, *confine.Guard, error) {
	area := r.o.Area()
	if h.Outside || area == nil {
		p, err := process.Start(program)
		return p, nil, err
	}
	program.Env = confine.ProgramEnv(program.Env)
	order, err := r.o.Record(), errNoSandbox
	for _, e := range area.ProgramExtents(order != nil) {
		guard := area.Begin(e)
		if program.Sandbox, program.Snapshot = guard.Profile(), guard.Order(order); e.Private {
			program.Snapshot = nil
		}
		var p *process.Process
		if p, err = process.Start(program); err == nil {
			return p, guard, nil
		}
		if !errors.Is(err, process.ErrNotUndoable) {
			break
		}
	}
	return nil, nil, err
}

// parse reads the standard output of a hook that exited with 0. Text that is not a JSON
// object is context at the beginning of a session and with a prompt, and otherwise ignored.
func parse(h Hook, in Input, out []byte) (got reply, err error) {
	text := bytes.TrimSpace(bytes.ToValidUTF8(out, []byte("\uFFFD")))
	if !bytes.HasPrefix(text, []byte("{")) {
		if in.Event == SessionStart || in.Event == Prompt {
			got.Context = string(text)
		}
		return got, nil
	}
	if h.Claude {
		return parseClaude(in, text)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		return reply{}, fmt.Errorf("its output is not a valid answer: %w", err)
	}
	if d.More() {
		return reply{}, errors.New("its output has more than one JSON object")
	}
	if got.Decision != "" && got.Decision != "block" {
		return reply{}, fmt.Errorf("unknown decision %q: use block, or leave it out. A hook cannot approve a call", phrase.Clip(got.Decision, maxNamed))
	}
	return got, nil
}

// clipped truncates a context or a reason.
func clipped(text string) string { return phrase.Clip(strings.TrimSpace(text), maxContext) }

// joined joins texts that may be empty by a line break.
func joined(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }
