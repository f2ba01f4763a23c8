package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"agent/cmd/agent/settings"
	"agent/internal/history"
	"agent/internal/llm/offline"
	"agent/internal/loop"
	"agent/internal/loop/policy"
	"agent/internal/tools"
	"agent/internal/tools/fetch"
	"agent/internal/tools/shell"
)

// flags are what every way of starting a session takes.
type flags struct {
	model    string // PROVIDER/NAME
	baseURL  string
	mode     string
	maxSteps int
	effort   string // of the model's reasoning
	cont     bool   // go on with the newest session of this directory
	resume   string // the session to go on with
}

// app is one session, ready to run.
type app struct {
	dir     string // the workspace, absolute
	branch  string
	work    *tools.Workspace
	log     *history.Log
	options loop.Options
	checks  []settings.Check
	notices []string // what the person should know before the first prompt
	// look finds a model on this machine, where none is connected. It takes a
	// moment; nil where there is nothing to look for.
	look func(context.Context) (loop.Model, bool)
}

// open makes a session ready: a new one, or the one that f resumes. The caller
// closes it.
func open(f flags, attended bool) (*app, error) {
	if f.cont && f.resume != "" {
		return nil, usage("--continue and --resume: only one of them")
	}
	set, err := loadSettings()
	if err != nil {
		return nil, err
	}
	a := &app{}
	store, err := openStore()
	if err != nil {
		return nil, err
	}
	if a.dir, err = os.Getwd(); err != nil {
		return nil, fmt.Errorf("find the working directory: %w", err)
	}
	if err := a.openLog(store, f); err != nil {
		return nil, err
	}
	if err := a.assemble(f, set, store, attended); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// close gives back what open took.
func (a *app) close() {
	if a.log != nil {
		_ = a.log.Close()
	}
	if a.work != nil {
		_ = a.work.Close()
	}
}

// assemble fills a's options.
func (a *app) assemble(f flags, set settings.Settings, store *history.Store, attended bool) error {
	mode, err := chooseMode(f.mode, set.Mode)
	if err != nil {
		return err
	}
	if f.maxSteps < 0 || set.MaxSteps < 0 {
		return usage("the limit of steps cannot be negative")
	}
	if a.work, err = tools.Open(a.dir); err != nil {
		return err
	}
	pick := newPicker(f, set, a.lastModel(store), !attended)
	model, notices, err := pick.model(f.model)
	if err != nil {
		return err
	}
	a.notices = append(a.notices, notices...)
	if attended && model.Name == offline.Name {
		a.look = pick.local
	}
	var inRepo bool
	a.branch, inRepo = branch(a.dir)
	a.options.Log, a.options.Model, a.options.Models = a.log, model, pick.named
	a.options.Mode, a.options.Attended = mode, attended
	a.options.MaxSteps = f.maxSteps
	if a.options.MaxSteps == 0 {
		a.options.MaxSteps = set.MaxSteps
	}
	a.checks = set.Checks
	a.equip(inRepo)
	return nil
}

// equip gives the session its tools, and tells the model where it works.
func (a *app) equip(inRepo bool) {
	dir := a.work.Dir()
	if a.log != nil {
		a.work.Attach(a.log.Outputs())
	}
	known := tools.NewLedger()
	a.options.Ledger = known
	a.options.Tools = toolsOf(a.work, known, a.checks)
	a.options.System = loop.SystemPrompt(loop.Place{
		Dir: dir, OS: runtime.GOOS, Shell: filepath.Base(shell.Program()), Git: inRepo, Today: time.Now(),
	})
}

// toolsOf returns the tools on a workspace, in a fixed order.
func toolsOf(w *tools.Workspace, known *tools.Ledger, checks []settings.Check) []tools.Tool {
	ts := append(tools.Files(w, known), tools.Shell(w, nil)...)
	ts = append(ts, tools.Fetch(fetch.Options{
		UserAgent: "agent/" + stamped() + " (a coding assistant, for its user)",
	}))
	var own []tools.Check
	for _, c := range checks {
		own = append(own, tools.Check{Files: c.Files, Command: c.Command, Limit: time.Duration(c.Timeout) * time.Second})
	}
	return tools.Checked(ts, w, own)
}

// openLog makes a new log, or opens the one that f resumes and what it holds.
// A session that is resumed by its name runs where it ran before.
func (a *app) openLog(store *history.Store, f flags) error {
	id := f.resume
	if f.cont {
		infos, err := store.List(a.dir)
		if err != nil {
			return err
		}
		if len(infos) == 0 {
			return fmt.Errorf("there is no session in %s yet. Start one with agent", a.dir)
		}
		id = infos[0].ID
	}
	if id == "" {
		a.log = store.Create(history.Header{Dir: a.dir, Version: version, Time: time.Now()})
		return nil
	}
	log, problems, err := store.Resume(id)
	switch {
	case errors.Is(err, history.ErrNotFound):
		return fmt.Errorf("%w. agent sessions --all lists them", err)
	case err != nil:
		return err
	}
	a.log = log
	for _, p := range problems {
		a.notices = append(a.notices, p.Text)
	}
	if dir := log.Header().Dir; dir != "" && dir != a.dir {
		if _, err := os.Stat(dir); err != nil {
			_ = log.Close()
			return fmt.Errorf("the session ran in %s: %w", dir, err)
		}
		a.notices = append(a.notices, "This session works in "+short(dir)+", where it began.")
		a.dir = dir
	}
	return a.fold(log)
}

// fold reads what the session holds. Damage is told and passed over.
func (a *app) fold(log *history.Log) error {
	state, err := loop.Fold(func(yield func(history.Record, error) bool) {
		for r, err := range log.Records() {
			if err != nil {
				a.notices = append(a.notices, err.Error())
				continue
			}
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil {
		_ = log.Close()
		return fmt.Errorf("read session %s: %w", log.Header().ID, err)
	}
	a.options.State = state
	return nil
}

// lastModel is the model used last: in the resumed session, else in the newest
// of this directory.
func (a *app) lastModel(store *history.Store) string {
	if a.options.State.Model != "" {
		return a.options.State.Model
	}
	body, err := store.Last(a.dir, loop.ModelRecord)
	if err != nil || body == nil {
		return ""
	}
	e, err := loop.Decode(body)
	if err != nil {
		return ""
	}
	if m, ok := e.(*loop.ModelSet); ok {
		return m.Model
	}
	return ""
}

// chooseMode returns the mode of the flag, else of the configuration, else ask.
func chooseMode(flag, configured string) (policy.Mode, error) {
	switch {
	case flag != "":
		m, err := policy.ParseMode(flag)
		if err != nil {
			return "", usage("--mode: %w", err)
		}
		return m, nil
	case configured != "":
		m, err := policy.ParseMode(configured)
		if err != nil {
			return "", fmt.Errorf("configuration: mode: %w", err)
		}
		return m, nil
	}
	return policy.Ask, nil
}

func loadSettings() (settings.Settings, error) {
	path, err := settings.Path(os.Getenv)
	if err != nil {
		return settings.Settings{}, err
	}
	return settings.Load(path)
}

func openStore() (*history.Store, error) {
	dir, err := history.Dir(os.Getenv)
	if err != nil {
		return nil, err
	}
	return history.Open(dir), nil
}

// short returns dir with the person's home written as ~.
func short(dir string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == "" || home == "/" {
		return dir
	}
	if dir == home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(dir, home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return dir
}
