package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"agent/cmd/agent/acp"
	"agent/cmd/agent/command"
	"agent/cmd/agent/credentials"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/headless"
	"agent/cmd/agent/sessions"
	"agent/internal/llm/offline"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// acpOptions are what `agent acp` needs.
type acpOptions struct {
	IO    command.IO
	flags *flags
	end   *exit.Signals
}

// newCmdACP returns `agent acp`.
func newCmdACP(f *command.Factory, o *flags, end *exit.Signals, runF command.RunFunc[acpOptions]) *cobra.Command {
	opts := &acpOptions{IO: f.IO, flags: o, end: end}
	cmd := &cobra.Command{
		Use:   "acp",
		Short: "serve an editor over the Agent Client Protocol",
		Long: `Acp lets an editor run sessions: the editor starts it and speaks the Agent Client
Protocol (version 1) on standard input and output. You do not run it yourself.

The editor shows the conversation, changes of files and commands, and asks you for
approval. Sessions are stored like those of the terminal, so that either can continue
the other's: agent --resume ID.

To configure Zed, JetBrains or Neovim, see: agent help editors`,
		Example: "  agent acp --model anthropic/claude-sonnet-4-5 --mode edits",
		Args:    command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return command.Or(runF, acpRun)(cmd.Context(), opts)
		},
	}
	return withFlags(cmd, "model base-url effort mode allow deny system append-system add-dir no-session max-steps token-budget max-cost max-time session-budget trace")
}

func acpRun(ctx context.Context, opts *acpOptions) error {
	if m := opts.flags.permit.Mode; m != "" {
		if _, err := event.ParseMode(m); err != nil {
			return command.Usage("--mode: %w", err)
		}
	}
	if term.IsTerminal(opts.IO.In.Fd()) {
		fmt.Fprintln(opts.IO.Err, "An editor starts this command and sends it messages. To configure your editor, see: agent help editors")
	}
	out := headless.NewOutput(os.Stdout) // a closed pipe is an error, not a signal
	os.Stdout = os.Stderr                // only the protocol may write to standard output
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	running := opts.end.Begin(func(os.Signal) { stop() }, true)
	defer running.End()
	err := serveACP(ctx, opts, opts.IO.In, out)
	if code := opts.end.Code(); code != 0 {
		return &exit.Error{Code: code, Err: err}
	}
	return err
}

// serveACP serves an editor on in and out.
func serveACP(ctx context.Context, opts *acpOptions, in io.Reader, out io.Writer) error {
	return acp.Serve(ctx, in, out, acp.Options{
		Version: version, Log: opts.IO.Err,
		List: func(ctx context.Context, dir string) ([]sessions.Entry, error) {
			store, err := command.OpenStore()
			if err != nil {
				return nil, err
			}
			return sessions.Entries(ctx, store, dir)
		},
		Open: func(o acp.Opening) (*acp.Opened, error) { return openACP(opts, o) },
	})
}

// openACP opens a session for an editor.
func openACP(opts *acpOptions, o acp.Opening) (*acp.Opened, error) {
	f := opening{flags: *opts.flags, end: opts.end, dir: o.Dir}
	f.plain, f.resume, f.cont, f.fork = true, o.Resume, false, false
	f.addDirs = slices.Concat(f.addDirs, o.AddDirs)
	if o.Resume != "" {
		f.fromScreen, f.noSession, f.Model = true, false, ""
	}
	a, err := open(f, true)
	if err != nil {
		return nil, err
	}
	a.work.UseEditor(o.Editor)
	m := a.options.Model
	out := &acp.Opened{
		Agent: loop.NewAgent(a.options), ID: a.record.id(), Dir: a.dir,
		Mode: a.options.Mode, Modes: a.options.Modes,
		Model:   event.ModelSet{Model: m.Name, Why: m.Why, Context: m.Context, Effort: m.Effort},
		Notices: a.notices, Search: a.choice.search, Close: a.close,
	}
	if out.ID == "" { // not saved
		out.ID = rand.Text()
	}
	if len(out.Modes) == 0 {
		out.Modes = event.Modes
	}
	out.Models = func(ctx context.Context) (all []acp.Model) {
		list, _ := a.choice.list(ctx, false) // the current model is always offered
		for _, m := range list {
			all = append(all, acp.Model{Name: m.Name, Why: m.Why})
		}
		return all
	}
	custom, notices := customCommands(a.project)
	out.Notices = append(out.Notices, notices...)
	for _, c := range custom {
		out.Commands = append(out.Commands, acp.Command{Name: c.Name, Args: c.Args, What: commandText(c), Prompt: func(args string) string { return slash.CustomPrompt(c, args) }})
	}
	if m.Name == offline.Name {
		out.Notices = append(out.Notices, connectNotice(credentials.KeyringAvailable()))
	}
	return out, nil
}

// commandText describes a custom command and says where it comes from.
func commandText(c screen.CustomCommand) string {
	text := c.What
	if text == "" {
		text = "send the prompt in " + c.Source
	}
	if c.FromRepository {
		text += " (from this repository)"
	}
	return text
}
