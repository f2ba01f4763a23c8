package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/colorprofile"

	"agent/cmd/agent/command"
	"agent/cmd/agent/desktop"
	"agent/cmd/agent/sessions"
	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
	"agent/internal/llm/offline"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// screenOptions returns the options of the screen that depend on the settings and
// the terminal. It is the only place that reads settings.Screen.
func screenOptions(s settings.Screen, getenv func(string) string) screen.Options {
	o := screen.Options{
		Vi:       s.Editor == "vim",
		Keys:     s.Keys,
		NoMouse:  !valueOr(s.Mouse, true),
		Terminal: desktop.DetectTerminal(getenv),
		Appearance: screen.Appearance{
			Theme:      s.Theme,
			Diffs:      ink.DiffLayout(s.Diff),
			StatusLine: s.Status,
			ASCII:      valueOr(s.ASCII, desktop.ASCIIOnly(getenv)),
			NoColor:    getenv("NO_COLOR") != "",
			Colors:     colorprofile.Env(os.Environ()),
			SaveTheme: func(name string) error {
				path, err := settings.Path(getenv)
				if err != nil {
					return err
				}
				return settings.Set(path, "theme", name)
			},
		},
		Clipboard: screen.Clipboard{NoCopyOnSelect: !valueOr(s.CopyOnSelect, true)},
	}
	if s.Notify != "" && s.Notify != "auto" {
		o.Terminal.Notify = screen.Notify(s.Notify)
	}
	o.Terminal.Progress = valueOr(s.Progress, o.Terminal.Progress)
	o.Terminal.NotifyAfter = time.Duration(valueOr(s.NotifyAfter, 10)) * time.Second
	o.Fault, _ = faultFile() // without a directory there is no crash report
	return o
}

// valueOr returns *p, or def if p is nil.
func valueOr[T any](p *T, def T) T {
	if p == nil {
		return def
	}
	return *p
}

// screen returns the options of the screen for a. plain is set in plain mode.
func (a *app) screen(events <-chan event.Event, commands chan<- event.Command, prompts []screen.Prompt, plain bool) screen.Options {
	o := screenOptions(a.set.Screen, os.Getenv)
	o.Events, o.Commands, o.Prompts, o.Session.History = events, commands, prompts, sessions.Events(a.ending)
	o.Version, o.Files.ShortDir, o.Files.Dir, o.Files.Branch = version, command.Short, command.Short(a.dir), a.branch
	m := a.options.Model
	o.Models.Name, o.Models.Why, o.Models.Context, o.Models.Effort, o.Models.Host, o.Models.BaseURL = m.Name, m.Why, m.Context, m.Effort, m.Host, m.BaseURL
	o.Session.Modes = a.options.Modes
	o.Session.Mode, o.Session.ID, o.Session.Title, o.Session.Draft = string(a.options.Mode), a.id(), a.ending.Title, a.options.Draft

	o.Notices, o.Instructions = slices.Clone(a.notices), a.screenInstructions()
	if a.project != nil {
		var notices []string
		o.Custom, notices = customCommands(a.project)
		o.Notices = append(o.Notices, notices...)
	}
	images := &desktop.Images{Dir: a.dir}
	o.Files.ReadImage, o.Clipboard.ReadImage, o.Clipboard.Copy = images.File, images.Pasted, desktop.NewClipboard().Copy
	o.Models.NoImages, o.Files.Editor, o.Files.Find = imageBlind(a.set.Changes()), desktop.Editor(os.Getenv), suggestions(a.index)
	o.Files.ReadBranch = func() string { return branchOf(a.dir) }
	if a.store != nil {
		o.Session.List, o.Session.Preview, o.Session.Earlier = sessions.Picker(a.store, a.id()), sessions.Preview(a.store), sessions.Prompts(a.store, a.dir, a.id())
	}
	if a.log != nil {
		o.Session.Spent, o.Session.Path = a.readSpent, command.Short(a.log.Path())
		o.Session.UndoSizes = func() (own, all int64, err error) { return a.store.UndoSizes(a.id()) }
		o.Session.Inspect = a.inspect
		o.Session.Export = func(format string) (string, error) { return sessions.ExportFile(a.log, a.dir, format) }
	}
	o.Agents, o.ReadAgents = a.agentList()
	if a.pick != nil {
		o.Models.List = a.models
	}
	state := screenStateFile(os.Getenv)
	o.Recent = state.read().Recent
	o.Remember = func(recent []string) { state.update(func(s *screenState) { s.Recent = recent }) }
	switch {
	case a.guideHeld:
		o.Notices = append(o.Notices, offlineNotice)
	case m.Name == offline.Name && len(a.ending.Events) == 0:
		a.advise(&o, prompts, plain)
	}
	return o
}

// imageBlind returns a function that reports whether a model is known to lack
// image input.
func imageBlind(known catalog.Changes) func(model string) bool {
	return func(model string) bool {
		if model == offline.Name {
			return true
		}
		provider, name, _ := strings.Cut(model, "/")
		return !valueOr(known.Lookup(provider, name).Vision, true)
	}
}

// readSpent reads from the log what each model used, and the part of it that was
// rewound, which costs the same.
func (a *app) readSpent() (all []screen.Spent, back screen.Spent, err error) {
	if !a.saved() {
		return nil, back, nil
	}
	v, err := a.log.View()
	if err != nil {
		return nil, back, err
	}
	defer v.Close()
	var kept, removed screen.Spending
	for r, err := range v.From(0) {
		if err != nil { // it was reported when the session was opened
			continue
		}
		if name, err := event.NameIn(r.Body); err != nil || !slices.Contains([]string{"step_end", "compact", "rename", "delegate_start", "delegate_end"}, name) {
			continue
		}
		if e, err := event.Decode(r.Body); err == nil {
			kept.Take(e)
		}
	}
	rewound, err := session.RemovedEvents(context.Background(), v)
	for _, t := range rewound {
		removed.Take(t.Event)
	}
	for _, spent := range removed.All {
		back = back.Plus(spent)
	}
	return kept.All, back, err
}

// agentList returns a function that lists the agents as they were last read, and one that
// reads them again.
func (a *app) agentList() (list func() []screen.Agent, read func()) {
	var last atomic.Pointer[[]screen.Agent]
	read = func() {
		all, _ := a.agents()
		out := make([]screen.Agent, len(all))
		for i, d := range all {
			out[i] = screen.Agent{Name: d.Name, Description: d.Description, Source: d.Source}
		}
		last.Store(&out)
	}
	return func() []screen.Agent {
		if last.Load() == nil {
			read()
		}
		return *last.Load()
	}, read
}
