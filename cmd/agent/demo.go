package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/headless"
	"agent/cmd/agent/models"
	"agent/internal/llm"
	"agent/internal/llm/offline"
	"agent/internal/llm/openai"
	"agent/internal/llm/phrase"
	"agent/internal/llm/script/scenes"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tools/workspace"
	"agent/internal/tui/screen"
)

// demoPause is the delay between deltas of the scripted model, so that the user can
// watch it stream.
const demoPause = 30 * time.Millisecond

// demoOptions are what `agent demo` needs.
type demoOptions struct {
	IO    command.IO
	flags *flags
	end   *exit.Signals

	Plain bool
}

// newCmdDemo returns `agent demo`.
func newCmdDemo(f *command.Factory, o *flags, end *exit.Signals, runF command.RunFunc[demoOptions]) *cobra.Command {
	opts := &demoOptions{IO: f.IO, flags: o, end: end}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "run four scripted demo scenes; no API key needed",
		Long: `Demo runs four scenes in a temporary copy of a small sample project, with the real
loop and the real tools: one tool call; three parallel calls; an unknown tool and
a failing one, from which the model recovers; an endless turn that the step limit
stops. The model is scripted and needs no API key. With --model, a real model gets
the prompts of the scenes.`,
		Example: "  agent demo\n  agent demo --plain\n  agent demo --model openai/gpt-5-mini",
		Args:    command.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return command.Or(runF, demoRun)(cmd.Context(), opts) },
	}
	cmd.Flags().BoolVar(&opts.Plain, "plain", false, "print every message sent and received instead of opening the screen")
	return withFlags(cmd, "model base-url effort")
}

func demoRun(ctx context.Context, opts *demoOptions) error {
	dir, err := os.MkdirTemp("", "agent-demo-")
	if err != nil {
		return fmt.Errorf("create a directory for the demo: %w", err)
	}
	defer os.RemoveAll(dir)
	defer opts.end.Cleanup(func() { _ = os.RemoveAll(dir) })()
	a, err := openDemo(opening{flags: *opts.flags, end: opts.end}, filepath.Join(dir, "sample"), opts.Plain)
	if err != nil {
		return err
	}
	defer a.close()
	if opts.Plain {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		playing := opts.end.Begin(func(os.Signal) { stop() }, true)
		defer playing.End()
		return a.playPlain(ctx, opts.IO.Out)
	}
	if !opts.IO.Out.Terminal {
		return command.Usage("standard output is not a terminal: run agent demo --plain")
	}
	var prompts []screen.Prompt
	for i, s := range scenes.Scenes() {
		prompts = append(prompts, screen.Prompt{Note: fmt.Sprintf("Scene %d: %s\n%s", i+1, s.Title, s.Explain), Text: s.Prompt})
	}
	left, err := show(ctx, a, nil, prompts)
	opts.end.Begin(nil, true) // until the process exits
	a.goodbye(left)
	return err
}

// openDemo copies the sample project to dir and opens an unsaved session there.
func openDemo(f opening, dir string, plain bool) (*app, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create a directory for the demo: %w", err)
	}
	if err := scenes.CopySample(dir); err != nil {
		return nil, err
	}
	a := &app{dir: dir, end: f.end}
	var err error
	if a.work, err = workspace.Open(dir); err != nil {
		return nil, err
	}
	if err := a.demoModel(f, plain); err != nil {
		a.close()
		return nil, err
	}
	if err := limitDemo(&a.options.Permissions); err != nil {
		a.close()
		return nil, err
	}
	if err := a.addParts(true); err != nil {
		a.close()
		return nil, err
	}
	a.options.Limits.Fixed = true
	if f.Model == "" { // the scripted conversation must not depend on this machine
		a.options.Prompt.Situation = nil
	}
	a.notices = append(a.notices, "Demo: four scenes in a temporary copy of a small project. Your files are not changed.")
	return a, nil
}

// limitDemo applies the system policy to the permissions o of the demo.
func limitDemo(o *loop.PermissionOptions) error {
	admin, err := systemFile.Read()
	if err != nil {
		return err
	}
	o.Rules, o.Modes = admin.Rules, admin.Modes
	if len(o.Modes) > 0 && !slices.Contains(o.Modes, o.Mode) {
		o.Mode = o.Modes[0]
	}
	return nil
}

// demoModel selects the scripted model, or the one that f names. A real model runs
// in ask mode, or in auto mode if there is no user.
func (a *app) demoModel(f opening, plain bool) error {
	if f.Model != "" {
		file, err := command.ReadSettings()
		if err != nil {
			return err
		}
		pick := models.New(f.Flags, file.Settings, "", true, f.end.Cleanup)
		if a.options.Models.Current, a.notices, err = pick.Model(f.Model); err != nil {
			return err
		}
		a.options.Models.Find = pick.ByName
		a.options.Permissions.Mode, a.options.Permissions.Attended = event.ModeAsk, !plain
		if plain {
			a.options.Permissions.Mode = event.ModeAuto
		}
		return nil
	}
	for _, s := range scenes.Scenes() {
		if s.MaxSteps > 0 {
			a.options.TurnBudget = event.Budget{event.LimitSteps: float64(s.MaxSteps)}
		}
	}
	p := scenes.NewPlayer(offline.New())
	if !plain {
		p.Pause = demoPause
	}
	a.options.Models.Current = turn.Model{Name: "offline/script", ID: "script", Provider: p, Why: "demo"}
	a.options.Permissions.Mode = event.ModeAll // run unattended: the step limit stops the endless turn
	return nil
}

// playPlain runs the scenes in order and prints every message to and from the
// model.
func (a *app) playPlain(ctx context.Context, w io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	tracer := &tracer{w: w, inner: a.options.Models.Current.Provider, printer: headless.TextPrinter{Out: io.Discard, Err: w}}
	a.options.Models.Current.Provider = tracer
	commands, events := make(chan event.Command, 1), make(chan event.Event)
	go loop.NewAgent(a.options).Run(ctx, commands, events)
	for i, s := range scenes.Scenes() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "Scene %d: %s\n%s\n\n", i+1, s.Title, s.Explain)
		commands <- event.Prompt{Text: s.Prompt}
		for e := range events {
			tracer.printer.Event(e)
			if end, ok := e.(*event.TurnEnd); ok {
				tracer.printer.End(headless.Result{Error: end.Error}) // its hint is about flags that the demo does not have
				fmt.Fprintf(w, "turn ended: %s after %s\n", end.Reason, phrase.Count(end.Steps, "request"))
				break
			}
		}
		if ctx.Err() != nil {
			return &exit.Error{Code: a.end.Code()}
		}
	}
	return nil
}

// tracer is a Provider that prints the new messages of each request and of each
// reply, as the OpenAI dialect sends them.
type tracer struct {
	w       io.Writer
	inner   llm.Provider
	printer headless.TextPrinter
	printed int // messages printed so far
}

func (t *tracer) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		wire := openai.WireMessages(req)
		for _, m := range wire[min(t.printed, len(wire)):] {
			fmt.Fprintf(t.w, "→ %s\n", m)
		}
		reply := llm.NewReply("")
		for d, err := range t.inner.Stream(ctx, req) {
			if err == nil {
				reply.Add(d)
			}
			if !yield(d, err) {
				break
			}
		}
		answer := openai.WireMessages(llm.Request{Model: req.Model, Messages: reply.Messages()})
		if len(answer) > 0 { // the others stand for tool results that do not exist yet
			fmt.Fprintf(t.w, "← %s\n", answer[0])
			t.printed = len(wire) + 1
		}
	}
}
