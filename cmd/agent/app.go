package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"agent/cmd/agent/command"
	"agent/cmd/agent/credentials"
	"agent/cmd/agent/desktop"
	"agent/cmd/agent/settings"
	"agent/internal/history"
	"agent/internal/llm/offline"
	"agent/internal/llm/wire"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
	"agent/internal/tools"
	"agent/internal/tools/fetch"
	"agent/internal/tools/search"
	"agent/internal/tools/shell"
	"agent/internal/tools/workspace"
)

// flags are what every way of starting a session takes.
type flags struct {
	model     string // PROVIDER/NAME
	baseURL   string
	mode      string
	maxSteps  int
	effort    string // of the model's reasoning
	cont      bool   // go on with the newest session of this directory
	resume    string // the session to go on with
	fork      bool   // go on in a fork of it
	noSession bool   // keep the session nowhere
	plain     bool   // show it as lines

	// What no flag says, but the session that was on the screen before.
	dir              string    // where a new session works; empty is here
	forkKeep         *int      // how much of what it is forked from a fork keeps: see event.Rewound
	draft            string    // what the editor of a fork begins with
	notice           string    // for the user, at the start
	previousEndpoint *endpoint // where the requests of the session before a new one went; nil if there was none
	// input reads the lines of a session in plain mode; nil on a screen.
	input *lineInput
	// baseFor is the provider that baseURL is for; empty is the one that is chosen.
	baseFor string
	// opened says that the session was chosen on the screen: where it was before
	// counts more than baseURL.
	fromScreen bool
	end        *shutdown
}

// endpoint is where requests go.
type endpoint struct {
	url  string // the base URL, without secrets
	host string // empty for the provider's own address
}

// check refuses flags that say different things.
func (f *flags) check() error {
	resumes := f.cont || f.resume != ""
	switch {
	case f.cont && f.resume != "":
		return command.Usage("--continue and --resume: only one of them")
	case f.noSession && resumes:
		return command.Usage("--no-session begins a session that is kept nowhere: it goes with neither --continue nor --resume")
	case f.fork && !resumes:
		return command.Usage("--fork needs --continue or --resume, which say of what")
	}
	return nil
}

// app is one session, ready to run.
type app struct {
	dir     string // the workspace, absolute
	branch  string
	work    *workspace.Workspace
	limits  shell.Limits  // of the environment of commands
	index   *search.Index // of the names in it
	jobs    *tools.Jobs
	store   *history.Store
	log     *history.Log  // nil where the session is kept nowhere
	ending  session.State // of the session that is resumed
	options loop.Options
	set     settings.Settings
	expired <-chan string // notices of sessions.Expire; may be nil
	end     *shutdown
	notices []string // what the person should know before the first prompt
	pick    picker
	// look finds a model on this machine, where none is connected. It takes a
	// moment; nil where there is nothing to look for.
	findLocal func(context.Context) event.Found
	// advice is shown if look finds no model; may be empty.
	advice string
}

// open makes a session ready: a new one, or the one that f resumes. The caller
// closes it.
func open(f flags, attended bool) (*app, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	file, err := command.ReadSettings()
	if err != nil {
		return nil, err
	}
	a := &app{dir: f.dir, set: file.Settings, end: f.end}
	if f.notice != "" {
		a.notices = append(a.notices, f.notice)
	}
	if attended {
		clashes, err := checkKeys(file)
		if err != nil {
			return nil, err
		}
		a.notices = append(a.notices, clashes...)
	}
	if a.store, err = command.OpenStore(); err != nil {
		return nil, err
	}
	if a.dir == "" {
		if a.dir, err = command.Absolute("."); err != nil {
			return nil, err
		}
	}
	if err := a.openLog(f); err != nil {
		a.discard(f)
		return nil, err
	}
	if err := a.assemble(f, attended); err != nil {
		a.discard(f)
		return nil, err
	}
	return a, nil
}

// close gives back what open took.
func (a *app) close() {
	if a.jobs != nil {
		a.jobs.Close()
	}
	if a.log != nil {
		_ = a.log.Close()
	}
	if a.index != nil {
		a.index.Close()
	}
	if a.work != nil {
		_ = a.work.Close()
	}
}

// discard is close for a session that f could not open. A fork that was made for
// it does not stay.
func (a *app) discard(f flags) {
	a.close()
	if f.fork && a.log != nil {
		_ = a.store.Remove(a.id())
	}
}

// assemble fills a's options.
func (a *app) assemble(f flags, attended bool) error {
	set := a.set
	mode, err := chooseMode(f.mode, set.Mode)
	if err != nil {
		return err
	}
	if f.maxSteps < 0 || set.MaxSteps < 0 {
		return command.Usage("the limit of steps cannot be negative")
	}
	if a.work, err = workspace.Open(a.dir); err != nil {
		return err
	}
	a.limits = shellLimits(set)
	pick, model, err := a.chooseModel(f, attended)
	if err != nil {
		return err
	}
	a.pick = pick
	if attended && model.Name == offline.Name && !pick.guideHeld {
		a.findLocal = pick.findLocal
	}
	var inRepo bool
	a.branch, inRepo = desktop.Branch(a.dir)
	a.options.Log, a.options.Model, a.options.Models = a.log, model, pick.byName
	a.options.Mode, a.options.Attended, a.options.Forked = mode, attended, f.fork
	a.options.MaxSteps = f.maxSteps
	if a.options.MaxSteps == 0 {
		a.options.MaxSteps = set.MaxSteps
	}
	a.options.MaxReplyBytes = set.MaxReply
	a.addTools(inRepo)
	return nil
}

// chooseModel returns the model that answers, and what finds others from now on.
func (a *app) chooseModel(f flags, attended bool) (picker, turn.Model, error) {
	last := a.lastModel()
	if f.fromScreen && last.BaseURL != "" && wire.Redacted(f.baseURL) != last.BaseURL {
		f.baseURL = ""
	}
	pick := newPicker(f, a.set, last.Model, !attended)
	pick.effort, pick.continued = a.ending.Effort, len(a.ending.Events) > 0
	if pick.lastAtDefault = last.BaseURL != "" && last.Host == ""; !pick.lastAtDefault {
		pick.lastURL = last.BaseURL
	}
	choice, err := pick.choose(f.model)
	if err != nil {
		return pick, turn.Model{}, err
	}
	pick.guideHeld = choice.Held
	if choice.Held { // its base URL still holds for all models of its provider
		pick.continued = true
	}
	model, notices, err := pick.build(choice)
	if err != nil {
		return pick, model, err
	}
	if c := model.Confirm; c != nil && !attended {
		return pick, model, command.Usage("%s: %s: %s", model.Name, c.Why, c.Remedy)
	}
	a.notices = append(a.notices, notices...)
	if moved := pick.continued && last.BaseURL != "" && !choice.Offline() && last.BaseURL != model.BaseURL; moved && (last.Host != "" || model.Host != "") {
		a.notices = append(a.notices, fmt.Sprintf("This session was at %s before. From now on its requests go to %s.", last.BaseURL, model.BaseURL))
	}
	if l := f.previousEndpoint; l != nil && !choice.Offline() && l.url != "" && l.url != model.BaseURL && (l.host != "" || model.Host != "") {
		a.notices = append(a.notices, fmt.Sprintf("The session before was at %s. The requests of this new session go to %s.", l.url, model.BaseURL))
	}
	if choice.Elsewhere() {
		pick.bound.url, pick.bound.provider = choice.BaseURL, choice.Provider.Name
	}
	return pick, model, nil
}

// shellLimits returns which environment variables commands get or not.
func shellLimits(set settings.Settings) shell.Limits {
	return shell.Limits{Keep: set.Shell.KeepEnv, Hide: slices.Concat(credentials.Variables(set), credentials.SecretURLs(os.Getenv))}
}

// addTools gives the session its tools, and tells the model where it works.
func (a *app) addTools(inRepo bool) {
	dir := a.work.Dir()
	if a.log != nil {
		a.work.Attach(a.log.Outputs())
	}
	a.protectPaths()
	known := workspace.NewLedger()
	a.options.Ledger = known
	a.jobs = tools.NewJobs()
	a.options.Jobs = a.jobs
	a.index = tools.NewIndex(a.work)
	commands := tools.Commands{Workspace: a.work, Limits: a.limits}
	checks := newChecks(commands, a.set.Checks)
	a.options.Tools = newTools(commands, known, a.jobs, checks)
	// The first one sees a result last.
	a.options.Interceptors = tools.Intercept(indexUpdater{a.index}, checks)
	a.options.Shell = commands.Typed(a.jobs)
	a.options.System = loop.SystemPrompt(loop.Place{
		Dir: dir, OS: runtime.GOOS, Shell: filepath.Base(shell.Program()), Git: inRepo, Today: time.Now(),
	})
}

// newTools returns the tools on a workspace, in a fixed order.
// jobs may be nil: then nothing can go on in the background.
func newTools(c tools.Commands, known *workspace.Ledger, jobs *tools.Jobs, checks *tools.Checks) []tools.Tool {
	ts := append(tools.Files(c.Workspace, known), c.Tools(jobs)...)
	ts = append(ts, tools.Fetch(fetch.Options{
		UserAgent: "agent/" + stamped() + " (a coding assistant, for its user)",
	}))
	return append(ts, checks.Tools()...)
}

// newChecks returns the configured checks, which run as commands do.
func newChecks(commands tools.Commands, configured []settings.Check) *tools.Checks {
	var all []tools.Check
	for _, c := range configured {
		all = append(all, tools.Check{Files: c.Files, Command: c.Command, Limit: time.Duration(c.Timeout) * time.Second})
	}
	return tools.NewChecks(commands, all)
}

// chooseMode returns the mode of the flag, else of the configuration, else ask.
func chooseMode(flag, configured string) (event.Mode, error) {
	switch {
	case flag != "":
		m, err := event.ParseMode(flag)
		if err != nil {
			return "", command.Usage("--mode: %w", err)
		}
		return m, nil
	case configured != "":
		m, err := event.ParseMode(configured)
		if err != nil {
			return "", fmt.Errorf("configuration: mode: %w", err)
		}
		return m, nil
	}
	return event.ModeAsk, nil
}
