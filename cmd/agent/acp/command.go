package acp

import (
	"context"
	"fmt"
	"os"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/headless"
)

// CommandOptions are what `agent acp` needs.
type CommandOptions struct {
	IO      command.IO
	Signals *exit.Signals
	Check   func() error // of the flags
	Serve   Options
}

// NewCmd returns `agent acp`.
func NewCmd(opts *CommandOptions, runF command.RunFunc[CommandOptions]) *cobra.Command {
	return &cobra.Command{
		Use:   "acp",
		Short: "serve an editor over the Agent Client Protocol",
		Long: `ACP lets an editor run sessions: the editor starts it and speaks the Agent Client
Protocol (version 1) on standard input and output. You do not run it yourself.

The editor shows the conversation, changes of files and commands, and asks you for
approval. Sessions are stored like those of the terminal, which can continue them:
agent --resume ID.

To configure Zed, JetBrains or Neovim, see: agent help editors`,
		Example: "  agent acp --model anthropic/claude-sonnet-4-5 --mode auto",
		Args:    command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return command.Or(runF, acpRun)(cmd.Context(), opts)
		},
	}
}

func acpRun(ctx context.Context, opts *CommandOptions) error {
	if err := opts.Check(); err != nil {
		return err
	}
	if term.IsTerminal(opts.IO.In.Fd()) {
		fmt.Fprintln(opts.IO.Err, "An editor starts this command and sends it messages. To configure your editor, see: agent help editors")
	}
	out := headless.NewOutput(os.Stdout) // a closed pipe is an error, not a signal
	os.Stdout = os.Stderr                // only the protocol may write to standard output
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	running := opts.Signals.Begin(func(os.Signal) { stop() }, true)
	defer running.End()
	err := Serve(ctx, opts.IO.In, out, opts.Serve)
	if code := opts.Signals.Code(); code != 0 {
		return &exit.Error{Code: code, Err: err}
	}
	return err
}
