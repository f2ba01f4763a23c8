package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"agent/cmd/agent/command"
	hookcmd "agent/cmd/agent/hooks"
	"agent/cmd/agent/settings"
	"agent/cmd/agent/trust"
	"agent/internal/loop/event"
	"agent/internal/loop/hooks"
	"agent/internal/loop/instructions"
	"agent/internal/tools/shell"
	"agent/internal/tui/ink"
)

// hookFile is the file with the hooks of a repository, relative to its root. It is
// protected, as the whole directory is.
const hookFile = ".agent/hooks.json"

// repositoryHooks returns the hooks of the repository of dir, and the item that the user
// has to confirm: the file, with the files of the repository that the commands name. There
// are none without the file.
func repositoryHooks(dir string) (settings.Hooks, []trust.Item, error) {
	root := instructions.Root(dir)
	text, err := trust.ReadFile(root, filepath.FromSlash(hookFile))
	if err != nil || text == "" {
		return settings.Hooks{}, nil, err
	}
	all, err := settings.ParseHooks(hookFile, []byte(text))
	if err != nil {
		return settings.Hooks{}, nil, fmt.Errorf("the hooks of this repository are not used: %w", err)
	}
	var commands []string
	for _, event := range settings.HookEvents {
		for _, h := range all.At(event) {
			commands = append(commands, h.Command)
		}
	}
	return all, []trust.Item{{Kind: trust.Hooks, Name: hookFile, File: hookFile, Content: text + trust.Programs(root, commands...), Live: true}}, nil
}

// hookItems is the trust.Source of hooks.
func hookItems(dir string) ([]trust.Item, error) {
	_, items, err := repositoryHooks(dir)
	return items, err
}

// openHooks prepares the hooks of the user and of the repository, if there are any. It
// runs none of them.
func (a *app) openHooks() {
	ofUser := slices.ContainsFunc(settings.HookEvents, func(event string) bool { return len(a.set.Hooks.At(event)) > 0 })
	_, items, _ := repositoryHooks(a.dir) // trust reports the error
	if !ofUser && len(items) == 0 {
		return
	}
	o := hooks.Options{
		Session: a.record.id(), Dir: a.dir, Find: a.findHooks,
		Environment: func() []string { return shell.Scrub(os.Environ(), a.limits) },
	}
	if a.secrets != nil {
		o.Mask = a.secrets.Text
	}
	words := []string{shell.Program(), "-c", "--"}
	if runtime.GOOS == "windows" {
		words = []string{shell.Program(), "/S", "/C"}
	}
	r := hooks.New(o, words)
	a.hooks, a.options.Hooks = r, r
	listen := a.options.Listen
	a.options.Listen = func(e event.Event) {
		if listen != nil {
			listen(e)
		}
		r.Listen(e)
	}
}

// findHooks returns the hooks that may run at an event: the user's, and those of the
// repository if the user has confirmed what the files contain now.
func (a *app) findHooks(event string) []hooks.Hook {
	all := slices.Clone(a.set.Hooks.At(event))
	if theirs, items, err := repositoryHooks(a.dir); err == nil && len(items) > 0 && a.trust.Confirmed(items[0]) {
		all = append(all, theirs.At(event)...)
	}
	var out []hooks.Hook
	for _, h := range all {
		out = append(out, hooks.Hook{Tool: h.Tool, Path: h.Path, Command: h.Command, Claude: h.Format == "claude", Limit: time.Duration(h.Timeout) * time.Second})
	}
	return out
}

// callHooks returns the hooks of the tool calls of an agent that works in dir; nil for
// none. ID is the number of a delegate; empty for the main agent.
func (a *app) callHooks(dir, id string) *hooks.Calls {
	if a.hooks == nil {
		return nil
	}
	return a.hooks.Calls(dir, id)
}

// closeHooks runs the hooks of the end of the session.
func (a *app) closeHooks() {
	if a.hooks == nil {
		return
	}
	a.hooks.Notify(func(text string) { fmt.Fprintln(os.Stderr, "agent: "+ink.Sanitize(text)) })
	a.hooks.Close()
}

// withHooks returns interceptors with the one that runs the hooks after a call, which sees
// a result after all of them.
func withHooks(calls *hooks.Calls, all []any) []any {
	if calls == nil {
		return all
	}
	return slices.Insert(all, 0, calls.After())
}

// listHooks returns the hooks in the current directory, for agent hooks.
func listHooks() ([]hookcmd.Source, error) {
	file, err := command.ReadSettings()
	if err != nil {
		return nil, err
	}
	review, err := openTrust()
	if err != nil {
		return nil, err
	}
	all := []hookcmd.Source{{Name: command.Short(file.Path), Hooks: file.Hooks}}
	theirs, items, err := repositoryHooks(review.Dir())
	if err != nil {
		return nil, err
	}
	if len(items) > 0 {
		name := hookFile + " (confirmed)"
		if !review.Confirmed(items[0]) {
			name = hookFile + " (not confirmed)"
		}
		all = append(all, hookcmd.Source{Name: name, Hooks: theirs})
	}
	return all, nil
}
