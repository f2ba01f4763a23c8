package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"agent/cmd/agent/access"
	"agent/cmd/agent/changes"
	"agent/cmd/agent/command"
	"agent/cmd/agent/connections"
	"agent/cmd/agent/delegates"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/keys"
	"agent/cmd/agent/languages"
	"agent/cmd/agent/limits"
	"agent/cmd/agent/lines"
	servers "agent/cmd/agent/mcp"
	"agent/cmd/agent/models"
	"agent/cmd/agent/permit"
	"agent/cmd/agent/project"
	"agent/cmd/agent/prompts"
	"agent/cmd/agent/settings"
	"agent/cmd/agent/stored"
	"agent/cmd/agent/trust"
	"agent/internal/llm/offline"
	"agent/internal/llm/wire"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/evidence"
	"agent/internal/loop/hooks"
	"agent/internal/loop/instructions"
	"agent/internal/loop/secrets"
	"agent/internal/loop/situation"
	"agent/internal/loop/trace"
	"agent/internal/loop/turn"
	"agent/internal/tools"
	"agent/internal/tools/git"
	"agent/internal/tools/search"
	"agent/internal/tools/shell"
	"agent/internal/tools/workspace"
	"agent/internal/tui/ink"
)

// flags are the global flags.
type flags struct {
	models.Flags
	permit    permit.Flags
	budget    limits.Flags
	prompt    settings.Prompt
	trace     string            // file
	traffic   *models.Recording // recorded or replayed; may be nil
	cont      bool              // continue the most recent session in this directory
	resume    string            // ID of the session to resume
	fork      bool              // fork that session
	here      bool              // run it in the current directory
	noSession bool              // do not save the session
	addDirs   []string          // directories to add to the workspace
	plain     bool              // plain mode
}

// opening says which session is opened, and how: by the flags, or by the choice of
// the user on the screen, which sets the fields below them.
type opening struct {
	flags
	end *exit.Signals
	// input reads prompts in plain mode; nil on a screen.
	input *lines.Input

	dir      string // working directory of a new session; empty for the current one
	newID    string // of a new session; empty for any
	forkKeep *int   // how much of the original a fork keeps, as in event.Rewound; nil keeps all
	draft    string // initial prompt text of a fork
	// temporary is set if the working directory is deleted after the session: changes of
	// files are not recorded.
	temporary bool
	notice    string // shown to the user at the start
	// servers are MCP servers of an editor, besides the configured ones.
	servers          map[string]settings.MCPServer
	kept             *connections.Kept // keeps the connections to MCP servers; nil for none
	connected        *models.Connected // the providers that the user connected; nil for none
	program          bool              // another program answers questions: there is no screen
	previousEndpoint *endpoint         // of the session before a new one; nil if there was none
	// baseFor is the provider that BaseURL is for; empty for the selected one.
	baseFor string
	// fromScreen is set if the user chose the session on the screen: its own base
	// URL then takes precedence over BaseURL.
	fromScreen bool
}

// endpoint is where requests go.
type endpoint struct {
	url  string // the base URL, without secrets
	host string // empty for the provider's own address
}

// check rejects flags that contradict each other.
func (f *flags) check() error {
	resumes := f.cont || f.resume != ""
	switch {
	case f.cont && f.resume != "":
		return command.Usage("--continue and --resume exclude each other: use one of them")
	case f.noSession && resumes:
		return command.Usage("--no-session starts an unsaved session: remove it, or remove --continue or --resume")
	case f.fork && !resumes:
		return command.Usage("--fork needs --continue or --resume ID to name the session to fork")
	case f.here && !resumes:
		return command.Usage("--here needs --continue or --resume ID to name the session to resume")
	}
	return nil
}

// session says which stored session f opens.
func (f *opening) session() stored.Choice {
	return stored.Choice{Unsaved: f.noSession, Continue: f.cont, Resume: f.resume, New: f.newID, Fork: f.fork, Here: f.here, Keep: f.forkKeep, Draft: f.draft}
}

// app is one session, ready to run.
type app struct {
	dir     string                // the workspace, absolute
	project *instructions.Project // nil without instruction files, as in the demo
	work    *workspace.Workspace
	stored  stored.Session
	options loop.Options
	set     settings.Settings
	end     *exit.Signals
	choice  modelChoice
	trust   *trust.Review // of what the repository configures; nil in the demo
	gate    tools.Gate    // of commands of all agents
	notices []string      // shown before the first prompt

	features
}

// features are what the parts of a session stand for. Each is nil if it is turned off.
type features struct {
	secrets     *secrets.Masker
	index       *search.Index // file names in the workspace
	jobs        *tools.Jobs
	sandbox     *access.Sandbox // of commands
	changes     *changes.Changes
	evidence    *evidence.Ledger
	languages   *languages.Session
	connections *connections.Session // to MCP servers
	hooks       *hooks.Session
	trace       *trace.Trace
}

// open opens a new session, or the one that f resumes. attended means that a user
// can answer permission requests. The caller closes the session.
func open(f opening, attended bool) (*app, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	file, err := command.ReadSettings()
	if err != nil {
		return nil, err
	}
	a := &app{dir: f.dir, set: file.Settings, end: f.end}
	a.set.MCP, a.notices = servers.Merge(a.set.MCP, f.servers)
	if f.notice != "" {
		a.notices = append(a.notices, f.notice)
	}
	if attended && !f.program {
		clashes, err := keys.Check(file)
		if err != nil {
			return nil, err
		}
		a.notices = append(a.notices, clashes...)
	}
	if a.stored.Store, err = command.OpenStore(); err != nil {
		return nil, err
	}
	if a.dir == "" {
		if a.dir, err = command.Absolute("."); err != nil {
			return nil, err
		}
	}
	a.stored.Dir, a.stored.Version = a.dir, version
	if err := a.stored.Open(f.session()); err != nil {
		a.discard(f)
		return nil, err
	}
	a.dir, a.options.Draft = a.stored.Dir, a.stored.Draft
	a.notices = append(a.notices, a.stored.Notices...)
	if err := a.collectPermissions(f.permit, file); err != nil {
		a.discard(f)
		return nil, err
	}
	if err := a.assemble(f, attended); err != nil {
		a.discard(f)
		return nil, err
	}
	return a, nil
}

// close releases the session's log, workspace and parts.
func (a *app) close() {
	messages := a.parts().Close()
	a.stored.Close()
	if a.work != nil {
		_ = a.work.Close()
	}
	for _, text := range messages {
		fmt.Fprintln(os.Stderr, "agent: "+ink.Sanitize(text))
	}
}

// discard closes a session that could not be opened, and deletes the fork that
// was created for it.
func (a *app) discard(f opening) {
	a.close()
	a.stored.Discard(f.session())
}

// assemble sets a.options: model, limits and tools.
func (a *app) assemble(f opening, attended bool) (err error) {
	set := a.set
	if a.options.TurnBudget, a.options.SessionBudget, err = f.budget.Budgets(set); err != nil {
		return err
	}
	if a.work, err = workspace.Open(a.dir); err != nil {
		return err
	}
	model, err := a.chooseModel(f, attended)
	if err != nil {
		return err
	}
	a.options.Log, a.options.Models.Current, a.options.Models.Find = a.stored.Log, model, a.choice.pick.ByName
	a.options.Permissions.Attended, a.options.Permissions.Forked = attended, f.fork
	a.options.Limits = turn.Limits{ReplyBytes: set.MaxReply}
	a.options.Models.WebSearch = set.WebSearch
	a.options.Models.Summary, a.options.Models.Small = cmp.Or(set.Summary, set.Small), set.Small
	if a.options.Prompt.System, a.options.Prompt.AppendSystem, err = prompts.Read(f.prompt, set); err != nil {
		return err
	}
	if err := a.openTrace(f.trace); err != nil {
		return err
	}
	a.options.Notices = append(a.options.Notices, f.traffic.Notices())
	a.project = project.Open(a.dir, os.Getenv)
	warnings, err := access.AddDirs(a.work, f.addDirs, set.AddDirs)
	if err != nil {
		return err
	}
	a.notices = append(a.notices, warnings...)
	a.openSecrets()
	a.openConnections(f, attended)
	if err := a.addParts(f.temporary); err != nil {
		return err
	}
	a.notices = append(a.notices, a.trust.Notices(attended && !f.program)...)
	a.notices = append(a.notices, a.instructionNotices()...)
	return nil
}

// branchOf returns the branch that is checked out in dir; empty if there is none.
func branchOf(dir string) string {
	r, _ := git.Open(dir)
	return r.Branch()
}

// chooseModel returns the model of the session and sets a.choice.
func (a *app) chooseModel(f opening, attended bool) (turn.Model, error) {
	last := a.stored.LastModel()
	if f.fromScreen && last.BaseURL != "" && wire.Redacted(f.BaseURL) != last.BaseURL {
		f.BaseURL = ""
	}
	pick := models.New(f.Flags, a.set, last.Model, !attended, f.end.Cleanup)
	pick.Connected = f.connected
	if err := f.traffic.Connect(pick); err != nil {
		return turn.Model{}, err
	}
	pick.BaseFor = f.baseFor
	pick.WaitLocal = !attended || f.program || isPlain(f) // a printed line cannot be replaced
	pick.Effort, pick.Continued = a.stored.Ending.Effort, len(a.stored.Ending.Events) > 0
	if pick.LastAtDefault = last.BaseURL != "" && last.Host == ""; !pick.LastAtDefault {
		pick.LastURL = last.BaseURL
	}
	choice, err := pick.Choose(f.Model)
	if err != nil {
		return turn.Model{}, err
	}
	if choice.Held { // its base URL still applies to all models of its provider
		pick.Continued = true
	}
	model, notices, err := pick.Build(choice)
	if err != nil {
		return model, err
	}
	if c := model.Confirm; c != nil && !attended {
		return model, command.Usage("%s: %s: %s", model.Name, c.Why, c.Remedy)
	}
	a.notices = append(a.notices, notices...)
	if moved := pick.Continued && last.BaseURL != "" && !choice.Offline() && last.BaseURL != model.BaseURL; moved && (last.Host != "" || model.Host != "") {
		a.notices = append(a.notices, fmt.Sprintf("This session used %s before. Its requests now go to %s.", last.BaseURL, model.BaseURL))
	}
	if l := f.previousEndpoint; l != nil && !choice.Offline() && l.url != "" && l.url != model.BaseURL && (l.host != "" || model.Host != "") {
		a.notices = append(a.notices, fmt.Sprintf("The previous session used %s. The requests of this session go to %s.", l.url, model.BaseURL))
	}
	pick.Bind(choice)
	a.choice = modelChoice{pick: pick, guideHeld: choice.Held, several: choice.Several}
	if attended && model.Name == offline.Name && !choice.Held && !pick.WaitLocal {
		a.choice.findLocal = pick.FindLocal
	}
	return model, nil
}

// situationIn returns a function that describes the environment of an agent that works
// in w to its model.
func (a *app) situationIn(w *workspace.Workspace) delegates.Situation {
	return func(ctx context.Context, window int, mode event.Mode, earlier []string) string {
		return situation.Collect(ctx, situation.Place{
			Dir: w.Dir(), Shell: filepath.Base(shell.Program()), Mode: mode.Name(), Attended: a.options.Permissions.Attended,
			Added: w.Added(), Brief: window > 0 && window < smallWindow, Now: time.Now(),
		}, earlier)
	}
}

// smallWindow is the context window, in tokens, below which the situation is described
// briefly.
const smallWindow = 16_000
