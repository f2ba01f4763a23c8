package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/internal/llm"
	"agent/internal/llm/offline"
	"agent/internal/llm/openai"
	"agent/internal/llm/script"
	"agent/internal/llm/script/scenes"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tools/workspace"
	"agent/internal/tui/screen"
)

// demoPause is between two deltas of the scripted model, so that people can
// watch it stream.
const demoPause = 30 * time.Millisecond

// demoOptions are what `agent demo` needs.
type demoOptions struct {
	IO    command.IO
	flags *flags

	Plain bool
}

// newCmdDemo returns `agent demo`.
func newCmdDemo(f *command.Factory, o *flags, runF command.RunFunc[demoOptions]) *cobra.Command {
	opts := &demoOptions{IO: f.IO, flags: o}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "see the program at work, without a key: four scenes",
		Long: `Demo plays four scenes in a temporary copy of a small sample project, through the
real loop and the real tools: one tool call; three calls at once; an unknown
tool and a failing one, from which the model recovers; a runaway that the step
guard ends. The model is scripted and needs no key; --model plays the scenes'
prompts to a real one.`,
		Example: "  agent demo\n  agent demo --plain\n  agent demo --model openai/gpt-5-mini",
		Args:    command.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return command.Or(runF, demoRun)(cmd.Context(), opts) },
	}
	cmd.Flags().BoolVar(&opts.Plain, "plain", false, "print a trace of every message instead")
	return cmd
}

func demoRun(ctx context.Context, opts *demoOptions) error {
	end := opts.flags.end
	dir, err := os.MkdirTemp("", "agent-demo-")
	if err != nil {
		return fmt.Errorf("make room for the demo: %w", err)
	}
	defer os.RemoveAll(dir)
	defer end.cleanup(func() { _ = os.RemoveAll(dir) })()
	a, err := openDemo(*opts.flags, filepath.Join(dir, "sample"), opts.Plain)
	if err != nil {
		return err
	}
	defer a.close()
	if opts.Plain {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		playing := end.beginPhase(func(os.Signal) { stop() }, true)
		defer playing.end()
		return a.playPlain(ctx, opts.IO.Out)
	}
	if !opts.IO.Out.Terminal {
		return command.Usage("this is no terminal: agent demo --plain prints the demo")
	}
	var prompts []screen.Prompt
	for i, s := range scenes.Scenes() {
		prompts = append(prompts, screen.Prompt{Note: fmt.Sprintf("Scene %d: %s\n%s", i+1, s.Title, s.Explain), Text: s.Prompt})
	}
	exit, err := show(ctx, a, nil, prompts)
	end.beginPhase(nil, true) // until the program has ended
	a.goodbye(exit)
	return err
}

// openDemo copies the sample project to dir and makes a session on it ready
// that is stored nowhere.
func openDemo(f flags, dir string, plain bool) (*app, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make room for the demo: %w", err)
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
	a.addTools(false)
	a.notices = append(a.notices, "This is a demo: four scenes in a temporary copy of a small project. Your files are not touched.")
	return a, nil
}

// demoModel chooses who plays: the script, or the model that f names. What a
// real model does to the sample is asked about where somebody can be.
func (a *app) demoModel(f flags, plain bool) error {
	if f.model != "" {
		file, err := command.ReadSettings()
		if err != nil {
			return err
		}
		pick := newPicker(f, file.Settings, "", true)
		if a.options.Model, a.notices, err = pick.model(f.model); err != nil {
			return err
		}
		a.options.Models = pick.byName
		a.options.Mode, a.options.Attended = event.ModeAsk, !plain
		if plain {
			a.options.Mode = event.ModeEdits
		}
		return nil
	}
	var replies []script.Reply
	for _, s := range scenes.Scenes() {
		replies = append(replies, s.Replies...)
		a.options.MaxSteps = max(a.options.MaxSteps, s.MaxSteps)
	}
	p := script.New(replies...)
	p.Next = offline.New()
	if !plain {
		p.Pause = demoPause
	}
	a.options.Model = turn.Model{Name: "offline/script", ID: "script", Provider: p, Why: "this is the demo"}
	a.options.Mode = event.ModeAll // nobody needs to be there: the guard ends the runaway
	return nil
}

// playPlain plays the scenes one after another and prints what goes to the
// model and what comes back.
func (a *app) playPlain(ctx context.Context, w io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	tracer := &tracer{w: w, inner: a.options.Model.Provider, printer: textPrinter{out: io.Discard, err: w}}
	a.options.Model.Provider = tracer
	commands, events := make(chan event.Command, 1), make(chan event.Event)
	go loop.NewAgent(a.options).Run(ctx, commands, events)
	for i, s := range scenes.Scenes() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "Scene %d: %s\n%s\n\n", i+1, s.Title, s.Explain)
		commands <- event.Prompt{Text: s.Prompt}
		for e := range events {
			tracer.printer.event(e)
			if end, ok := e.(*event.TurnEnd); ok {
				tracer.printer.end(result{Error: end.Error, Hint: end.Hint})
				fmt.Fprintf(w, "the turn ended: %s, after %d steps\n", end.Reason, end.Steps)
				break
			}
		}
		if ctx.Err() != nil {
			return &exitError{code: a.end.signalCode()}
		}
	}
	return nil
}

// tracer is a Provider that prints the messages of each request that were not
// in the one before, and of each reply, as the OpenAI dialect sends them.
type tracer struct {
	w       io.Writer
	inner   llm.Provider
	printer textPrinter
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
		said := openai.WireMessages(llm.Request{Model: req.Model, Messages: reply.Messages()})
		if len(said) > 0 { // what follows are results that are not there yet
			fmt.Fprintf(t.w, "← %s\n", said[0])
			t.printed = len(wire) + 1
		}
	}
}
