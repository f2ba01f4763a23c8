package main

import (
	"os"
	"sync"
	"time"

	"agent/cmd/agent/access"
	"agent/cmd/agent/changes"
	"agent/cmd/agent/delegates"
	hookcmd "agent/cmd/agent/hooks"
	"agent/cmd/agent/languages"
	"agent/cmd/agent/project"
	"agent/cmd/agent/redact"
	"agent/cmd/agent/toolbox"
	"agent/internal/llm/catalog"
	"agent/internal/loop/delegate"
	"agent/internal/loop/evidence"
	"agent/internal/loop/hooks"
	"agent/internal/loop/part"
	"agent/internal/loop/policy"
	"agent/internal/tools"
	"agent/internal/tools/confine"
	"agent/internal/tools/search"
	"agent/internal/tools/shell"
	"agent/internal/tools/workspace"
)

// parts returns what the features of the session add to each of its agents. This list decides
// in which order they see a call:
//   - Hooks before a call come before secrets, so that they see placeholders.
//   - Secrets come before everything that follows, so that nothing else of a result stays
//     unmasked.
//   - Undo comes before hooks after a call, checks and formatters, so that it records what
//     they write.
//   - The session's own hooks come last, so that those of its end run first: they still need
//     the sandbox and undo.
func (a *app) parts() part.List {
	return part.List{
		a.trace,
		part.Func(a.hooks.Before),
		part.Func(a.secrets.Part),
		a.changes,
		part.Func(a.hooks.After),
		part.Func(a.evidence.Part),
		fileNames{a.index},
		commands{a},
		part.Func(a.checks),
		part.Func(a.customTools),
		a.languages,
		project.Part(a.project),
		a.connections,
		a.hooks,
	}
}

// addParts opens the parts of the session, and adds them to the main agent. In a temporary
// session nothing is recorded for undo, and no hook runs.
func (a *app) addParts(temporary bool) error {
	if a.stored.Log != nil {
		a.work.Attach(a.stored.Log.Outputs())
	}
	a.protectPaths()
	a.jobs, a.index = tools.NewJobs(), tools.NewIndex(a.work)
	a.evidence = evidence.New(a.work.Dir(), a.jobs, time.Now)
	if !temporary {
		a.recordChanges()
		a.openHooks()
	}
	c := a.commandsIn(a.work, a.options.Permissions.Paths)
	if a.trust != nil { // not in the demo
		a.languages = languages.Open(a.programs(), a.work, c.Area)
	}
	o := &a.options
	o.Workspace.Ledger, o.Models.Offer, o.Workspace.Jobs, o.Evidence, o.Workspace.Shell = workspace.NewLedger(), catalog.Offer, a.jobs, a.evidence, c.Typed(a.jobs)
	o.Prompt.Situation = a.situationIn(a.work)
	parts := a.parts()
	added, err := parts.For(part.Agent{Workspace: a.work, Commands: c, Ledger: o.Workspace.Ledger})
	if err != nil {
		return err
	}
	o.Add(added)
	o.Delegates = delegates.Session{
		Version: version, Stored: &a.stored, Work: a.work, Settings: a.set, Trust: a.trust, Options: o, Parts: parts,
		Agents:   func() []delegate.Agent { all, _ := project.Agents(a.project); return all },
		Commands: a.commandsIn, Situation: a.situationIn,
	}.Pool()
	return nil
}

// recordChanges makes the session record file changes, if it is saved.
func (a *app) recordChanges() {
	if a.stored.Log == nil {
		return
	}
	var err error
	if a.changes, err = changes.Open(a.stored.Log.UndoPath(), a.work, a.sandbox.Watches); err != nil {
		a.notices = append(a.notices, "File changes are not recorded, so they cannot be undone: "+err.Error())
		a.options.Workspace.Undo.Why = err.Error()
		return
	}
	a.options.Workspace.Undo = a.changes.Undo
}

// openSecrets makes the session replace secrets by placeholders, unless the configuration
// disables that. Call it once the directories of the workspace are known.
func (a *app) openSecrets() {
	s := redact.Session{Settings: a.set, Dirs: append([]string{a.work.Dir()}, a.work.Added()...), Saved: a.stored.Log != nil}
	if around := access.RepositoryAround(a.work.Dir()); around != "" {
		s.Dirs = append(s.Dirs, around)
	}
	if a.choice.pick != nil {
		s.Keys = a.choice.pick.Secrets
	}
	if a.secrets = redact.Open(s); a.secrets != nil {
		a.options.Prompt.Secrets = a.secrets
	}
}

// openHooks prepares the hooks of the user and of the repository, if there are any.
func (a *app) openHooks() {
	if a.trust == nil { // the demo
		return
	}
	s := hookcmd.Session{ID: a.stored.ID(), Dir: a.dir, User: a.set.Hooks, Review: a.trust, Limits: redact.Limits(a.set), Record: a.changes.HookOrder}
	s.Area = sync.OnceValue(func() *confine.Area { return a.sandbox.Area(a.dir, a.options.Permissions.Paths) })
	if a.secrets != nil {
		s.Mask = a.secrets.Text
	}
	if r := s.Open(); r != nil {
		a.hooks, a.options.Hooks = hooks.NewSession(r), r
	}
}

// programs returns the language servers and formatters of the session.
func (a *app) programs() languages.Programs {
	return languages.Programs{Dir: a.work.Dir(), Set: a.set, Trust: a.trust, Env: func() []string { return shell.Scrub(os.Environ(), redact.Limits(a.set)) }}
}

// commandsIn returns the commands of an agent that works in w, with the limits and the sandbox
// of the session. Their complete outputs are stored without secrets.
func (a *app) commandsIn(w *workspace.Workspace, paths policy.Paths) tools.Commands {
	c := tools.Commands{Workspace: w, Limits: redact.Limits(a.set), MaxOutput: a.set.Shell.MaxOutput, Area: a.sandbox.Area(w.Dir(), paths), Gate: &a.gate,
		Unattended: !a.options.Permissions.Attended}
	if a.secrets != nil {
		c.Filter = func() shell.Filter { return a.secrets.Stream() }
	}
	return c
}

// fileNames is the part that keeps the index of file names up to date.
type fileNames struct{ index *search.Index }

func (n fileNames) For(a part.Agent) (part.Added, error) {
	if a.Isolated {
		return part.Added{}, nil
	}
	return part.Added{Around: tools.IndexUpdater{Index: n.index}}, nil
}

func (n fileNames) Close() []string {
	if n.index != nil {
		n.index.Close()
	}
	return nil
}

// commands is the part with the built-in tools. It holds the background jobs and the sandbox.
type commands struct{ *app }

func (c commands) For(a part.Agent) (part.Added, error) {
	jobs := c.jobs
	if a.Number > 0 { // a delegate has none
		jobs = nil
	}
	format := c.programs().Formatters(a.Workspace.Dir(), a.Commands.Area)
	return part.Added{Tools: toolbox.BuiltIn(version, a.Commands, a.Ledger, jobs, format)}, nil
}

func (c commands) Close() (undone []string) {
	if c.jobs != nil {
		c.jobs.Close()
		undone = c.jobs.Undone()
	}
	c.sandbox.Close()
	return undone
}

// checks adds the configured checks.
func (a *app) checks(to part.Agent) (part.Added, error) {
	checks := toolbox.Checks(to.Commands, a.set.Checks)
	return part.Added{Tools: checks.Tools(), Around: checks}, nil
}

// customTools adds the tools of the configuration.
func (a *app) customTools(to part.Agent) (part.Added, error) {
	all, err := toolbox.Custom(a.set, to.Commands)
	return part.Added{Tools: all}, err
}
