package main

import (
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/colorprofile"

	"agent/cmd/agent/command"
	"agent/cmd/agent/connect"
	"agent/cmd/agent/desktop"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/help"
	"agent/cmd/agent/lines"
	"agent/cmd/agent/models"
	"agent/cmd/agent/project"
	"agent/cmd/agent/sessions"
	"agent/cmd/agent/settings"
	"agent/internal/llm/offline"
	"agent/internal/loop/event"
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
		Manual:    manual(),
		Clipboard: screen.Clipboard{NoCopyOnSelect: !valueOr(s.CopyOnSelect, true)},
	}
	if s.Notify != "" && s.Notify != "auto" {
		o.Terminal.Notify = screen.Notify(s.Notify)
	}
	o.Terminal.Progress = valueOr(s.Progress, o.Terminal.Progress)
	o.Terminal.NotifyAfter = time.Duration(valueOr(s.NotifyAfter, 10)) * time.Second
	o.Fault, _ = exit.FaultFile() // without a directory there is no crash report
	return o
}

// manual returns the help topics for the screen.
func manual() screen.Manual {
	m := screen.Manual{Text: func(topic string) string {
		text, _ := help.Text(topic)
		return text
	}}
	for _, g := range help.Groups() {
		group := screen.TopicGroup{Name: g.Name}
		for _, t := range g.Topics {
			group.Topics = append(group.Topics, t.Name)
		}
		m.Groups = append(m.Groups, group)
	}
	return m
}

// valueOr returns *p, or def if p is nil.
func valueOr[T any](p *T, def T) T {
	if p == nil {
		return def
	}
	return *p
}

// screen returns the options of the screen for a. in has the lines of plain mode; it is nil on
// a screen.
func (a *app) screen(events <-chan event.Event, commands chan<- event.Command, prompts []screen.Prompt, in *lines.Input) screen.Options {
	o := screenOptions(a.set.Screen, os.Getenv)
	o.Events, o.Commands, o.Prompts, o.Session.History = events, commands, prompts, sessions.Events(a.stored.Ending)
	o.Version, o.Files.ShortDir, o.Files.Dir, o.Files.Branch = version, command.Short, command.Short(a.dir), branchOf(a.dir)
	m := a.options.Models.Current
	o.Models.Name, o.Models.Why, o.Models.Context, o.Models.Effort, o.Models.Host, o.Models.BaseURL = m.Name, m.Why, m.Context, m.Effort, m.Host, m.BaseURL
	o.Session.Modes = a.options.Permissions.Modes
	o.Session.Mode, o.Session.ID, o.Session.Title, o.Session.Draft = string(a.options.Permissions.Mode), a.stored.ID(), a.stored.Ending.Title, a.options.Draft

	o.Notices, o.Instructions = slices.Clone(a.notices), project.Screen(a.project, a.index.Changed)
	o.Trust, o.Servers = a.trust.Screen(), a.languages.Screen()
	if a.project != nil {
		var notices []string
		o.Custom, notices = project.Commands(a.project)
		o.Notices = append(o.Notices, notices...)
	}
	images := &desktop.Images{Dir: a.dir}
	o.Files.ReadImage, o.Clipboard.ReadImage, o.Clipboard.Copy = images.File, images.Pasted, desktop.NewClipboard().Copy
	o.Models.NoImages, o.Files.Editor, o.Files.Find = models.WithoutImages(a.set.Changes()), desktop.Editor(os.Getenv), project.Suggestions(a.index)
	o.Files.ReadBranch = func() string { return branchOf(a.dir) }
	if a.stored.Store != nil {
		o.Session.List, o.Session.Preview, o.Session.Earlier = sessions.Picker(a.stored.Store, a.stored.ID()), sessions.Preview(a.stored.Store), sessions.Prompts(a.stored.Store, a.dir, a.stored.ID())
	}
	if r := &a.stored; r.Log != nil {
		o.Session.Spent, o.Session.Path = r.Spent, command.Short(r.Log.Path())
		o.Session.UndoSizes = func() (own, all int64, err error) { return r.Store.UndoSizes(r.ID()) }
		o.Session.Inspect = inspectStep(r, a.set, a.end)
		o.Session.Export = func(format string) (string, error) { return sessions.ExportFile(a.stored.Log, a.dir, format) }
	}
	o.Agents, o.ReadAgents = a.agentList()
	if a.choice.pick != nil {
		o.Models.List, o.Models.Choose = a.choice.list, a.choice.several
		if a.choice.pick.Connected != nil && a.choice.pick.Player == nil {
			o.Connect = connect.Screen(a.choice.pick, a.set, a.dir, a.end.Cleanup)
		}
	}
	state := screenStateFile(os.Getenv)
	kept := state.read()
	o.Recent, o.RecentModels = kept.Recent, kept.Models
	o.RememberModels = func(recent []string) { state.update(func(s *screenState) { s.Models = recent }) }
	o.Remember = func(recent []string) { state.update(func(s *screenState) { s.Recent = recent }) }
	switch {
	case a.choice.guideHeld:
		o.Notices = append(o.Notices, offlineNotice)
	case m.Name == offline.Name && len(a.stored.Ending.Events) == 0:
		a.choice.advise(&o, prompts, in)
	}
	return o
}

// agentList returns a function that lists the agents as they were last read, and one that
// reads them again.
func (a *app) agentList() (list func() []screen.Agent, read func()) {
	var last atomic.Pointer[[]screen.Agent]
	read = func() {
		all, _ := project.Agents(a.project)
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
