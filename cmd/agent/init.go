package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/headless"
	"agent/cmd/agent/project"
	"agent/internal/llm/offline"
	"agent/internal/loop/event"
	"agent/internal/loop/instructions"
	"agent/internal/tui/ink"
)

// initOptions are what `agent init` needs.
type initOptions struct {
	IO    command.IO
	flags *flags
	end   *exit.Signals
}

// newCmdInit returns `agent init`.
func newCmdInit(f *command.Factory, o *flags, end *exit.Signals, runF command.RunFunc[initOptions]) *cobra.Command {
	opts := &initOptions{IO: f.IO, flags: o, end: end}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "write AGENTS.md, the instructions for this project",
		Long: `Init writes a first AGENTS.md in the repository of the current directory. The model
reads the project and writes the file, or improves it if it exists; file edits are
approved automatically (--mode auto). Without a model, the file lists the commands
of the build files and the directories; an existing file is not changed.

` + exit.CodesOf("init"),
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return command.Or(runF, initRun)(cmd.Context(), opts) },
	}
	return withFlags(cmd, "model base-url mode max-steps token-budget max-cost max-time session-budget effort trace record replay no-session")
}

func initRun(ctx context.Context, opts *initOptions) error {
	f := opening{flags: *opts.flags, end: opts.end}
	if f.permit.Mode == "" {
		f.permit.Mode = string(event.ModeAuto)
	}
	a, err := open(f, false)
	if err != nil {
		return err
	}
	defer a.close()
	if a.options.Models.Current.Name == offline.Name {
		d, err := project.Screen(a.project, a.index.Changed).Init()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(opts.IO.Out, "Created %s:\n%s", d.Path, ink.Sanitize(d.Unified))
		return err
	}
	out := headless.NewOutput(opts.IO.Out)
	p, err := headless.NewPrinter("text", opts.IO, out, false, headless.Previews{})
	if err != nil {
		return err
	}
	for _, n := range a.notices {
		p.Event(event.Notice{Text: n})
	}
	return a.runTurn(event.Prompt{Text: instructions.InitPrompt()}, p, out)
}
