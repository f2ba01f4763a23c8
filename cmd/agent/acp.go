package main

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"agent/cmd/agent/acp"
	"agent/cmd/agent/command"
	"agent/cmd/agent/credentials"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/project"
	"agent/cmd/agent/sessions"
	"agent/cmd/agent/stored"
	"agent/internal/history"
	"agent/internal/llm/offline"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// newCmdACP returns `agent acp`.
func newCmdACP(f *command.Factory, o *flags, end *exit.Signals, runF command.RunFunc[acp.CommandOptions]) *cobra.Command {
	cmd := acp.NewCmd(&acp.CommandOptions{IO: f.IO, Signals: end, Check: o.checkForEditor, Serve: editorOptions(o, end)}, runF)
	return withFlags(cmd, "model base-url effort mode allow deny system append-system add-dir no-session max-steps token-budget max-cost max-time session-budget trace")
}

// checkForEditor rejects flags that `agent acp` cannot use.
func (f *flags) checkForEditor() error {
	if f.cont || f.resume != "" || f.fork || f.here {
		return command.Usage("agent acp takes no --continue, --resume, --fork or --here: the editor chooses the session")
	}
	if f.permit.Mode == "" {
		return nil
	}
	if _, err := event.ParseMode(f.permit.Mode); err != nil {
		return command.Usage("--mode: %w", err)
	}
	return nil
}

// editorOptions returns how `agent acp` opens and lists sessions.
func editorOptions(o *flags, end *exit.Signals) acp.Options {
	return acp.Options{
		Version: version, Log: os.Stderr,
		List: func(ctx context.Context, dir string) ([]sessions.Entry, error) {
			store, err := command.OpenStore()
			if err != nil {
				return nil, err
			}
			return sessions.Entries(ctx, store, dir)
		},
		Open: func(which acp.Opening) (*acp.Opened, error) { return openInEditor(o, end, which) },
	}
}

// openInEditor opens a session for an editor.
func openInEditor(given *flags, end *exit.Signals, o acp.Opening) (*acp.Opened, error) {
	f := opening{flags: *given, end: end, dir: o.Dir}
	f.plain, f.program, f.resume = true, true, o.Resume
	f.addDirs, f.servers = slices.Concat(f.addDirs, o.AddDirs), o.Servers
	if o.Resume != "" {
		f.fromScreen, f.noSession, f.Model = true, false, ""
	}
	a, err := open(f, true)
	if _, gone := errors.AsType[*stored.MissingError](err); gone {
		f.here = true // the editor has named the directory
		a, err = open(f, true)
	}
	if o.Resume != "" && errors.Is(err, history.ErrNotFound) {
		a, err = openReserved(f, given, err)
	}
	if err != nil {
		return nil, err
	}
	reserved := a.stored.Log != nil && !a.stored.Saved() && a.stored.Store.Reservations().Add(a.stored.ID(), a.dir) == nil
	a.work.UseEditor(o.Editor)
	a.options.Permissions.KeepSettings = true
	a.connections.Start()
	m := a.options.Models.Current
	out := &acp.Opened{
		Agent: loop.NewAgent(a.options), ID: a.stored.ID(), Dir: a.dir,
		Mode: a.options.Permissions.Mode, Modes: a.options.Permissions.Modes,
		Model:   event.ModelSet{Model: m.Name, Why: m.Why, Context: m.Context, Effort: m.Effort},
		Resumed: a.stored.Saved(),
		Saved:   func() bool { return reserved || a.stored.Saved() },
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
	custom, notices := project.Commands(a.project)
	out.Notices = append(out.Notices, notices...)
	for _, c := range custom {
		out.Commands = append(out.Commands, acp.Command{Name: c.Name, Args: c.Args, What: commandText(c), Prompt: func(_ context.Context, args string) (event.Prompt, error) {
			return event.Prompt{Text: slash.CustomPrompt(c, args), Mentions: event.Resources(args)}, nil
		}})
	}
	out.Prompts, out.Changed = a.serverPrompts, a.connections.Changed()
	if m.Name == offline.Name {
		out.Notices = append(out.Notices, connectShell(credentials.KeyringAvailable()))
	}
	return out, nil
}

// openReserved opens the session that f resumes as a new one, if an editor got its ID
// before and it has no file. Otherwise it returns the error missing.
func openReserved(f opening, given *flags, missing error) (*app, error) {
	store, err := command.OpenStore()
	if err != nil {
		return nil, err
	}
	dir, ok := store.Reservations().Dir(f.resume)
	if !ok {
		return nil, missing
	}
	f.newID, f.resume, f.fromScreen, f.here, f.Model = f.resume, "", false, false, given.Model
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		f.dir = dir
	}
	return open(f, true)
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

// serverPrompts returns the prompts of MCP servers as commands of an editor.
func (a *app) serverPrompts() (all []acp.Command) {
	for _, p := range a.connections.Prompts() {
		all = append(all, acp.Command{Name: p.Name, Args: p.Usage, What: strings.TrimSpace(p.Description + " (from the MCP server " + p.Server + ")"), Prompt: func(ctx context.Context, args string) (event.Prompt, error) {
			got, err := a.connections.Prompt(ctx, p.Name, slash.ArgWords(args))
			if err == nil && !got.IsEmpty() {
				got.Mentions = event.Resources(args)
				got.Text = strings.TrimSpace("/"+p.Name+" "+args) + "\n\n" + got.Text
			}
			return got, err
		}})
	}
	return all
}
