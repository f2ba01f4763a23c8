package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"agent/cmd/agent/agents"
	"agent/cmd/agent/sessions"
	"agent/internal/history"
	"agent/internal/llm/catalog"
	"agent/internal/loop"
	"agent/internal/loop/delegate"
	"agent/internal/loop/delegate/isolation"
	"agent/internal/loop/event"
	"agent/internal/loop/evidence"
	"agent/internal/loop/turn"
	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tools/lsp"
	"agent/internal/tools/workspace"
)

// launcher prepares the delegates of a session.
type launcher struct {
	a        *app
	evidence *evidence.Ledger
	session  []tools.Tool // tools of every session: see loop.SessionTools

	mu         sync.Mutex // also held while a model is chosen
	situations map[event.Mode]described
}

// described is a description of the environment.
type described struct {
	text string
	at   time.Time
}

// describedFor is how long delegates get the same description of the workspace, so that
// several that start together do not each run git.
const describedFor = time.Minute

// situation describes the workspace to a delegate.
func (l *launcher) situation(ctx context.Context, window int, mode event.Mode, earlier []string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	d, ok := l.situations[mode]
	if !ok || now.Sub(d.at) > describedFor || len(earlier) > 0 {
		d = described{l.a.situationIn(l.a.work)(ctx, window, mode, earlier), now}
		if ctx.Err() == nil && len(earlier) == 0 {
			l.situations[mode] = d
		}
	}
	return d.text
}

// addDelegates lets the model start delegates.
func (a *app) addDelegates(seen *evidence.Ledger) {
	l := &launcher{a: a, evidence: seen, session: loop.SessionTools(), situations: map[event.Mode]described{}}
	a.options.Delegates = delegate.NewPool(delegate.Options{
		Agents: func() []delegate.Agent { all, _ := a.agents(); return all }, Launch: l.launch, Max: a.set.MaxDelegates, Forward: !a.options.Attended, Now: time.Now,
		Confirmed: func(d delegate.Agent) bool { return a.trust.Confirmed(agents.Item(d)) },
		Confirm:   func(d delegate.Agent) error { return a.trust.Confirm(agents.Item(d)) },
	})
}

// launch prepares the session of a delegate.
func (l *launcher) launch(ctx context.Context, host delegate.Host, t delegate.Task) (delegate.Session, error) {
	a := l.a
	model, err := l.model(host.Model(), t)
	if err != nil {
		return nil, err
	}
	s := &delegateSession{app: a, host: host, label: t.Label, work: a.work, model: model.Name}
	if t.Worktree {
		if s.isolated, err = l.worktree(ctx, t); err != nil {
			return nil, err
		}
		s.work = s.isolated.Workspace
	}
	if a.stored.Log != nil {
		s.log = a.stored.Store.Create(history.Header{Dir: s.work.Dir(), Version: version, Time: time.Now(), Parent: a.stored.ID(), Agent: t.Name})
	}
	o := l.options(host, t, s)
	o.Model = model
	if o.Tools, err = l.tools(t, s, &o); err != nil {
		_, _, _ = s.Finish(ctx, "")
		return nil, err
	}
	s.Agent = loop.NewAgent(o)
	return s, nil
}

// worktree makes a git worktree for a delegate.
func (l *launcher) worktree(ctx context.Context, t delegate.Task) (*isolation.Worktree, error) {
	state, err := history.Dir(os.Getenv)
	if err != nil {
		return nil, err
	}
	return isolation.Open(ctx, isolation.Options{Main: l.a.work, State: state, Mode: t.Agent.Mode}, t.Label)
}

// options returns the options of the agent, without its model and its tools.
func (l *launcher) options(host delegate.Host, t delegate.Task, s *delegateSession) loop.Options {
	from := l.a.options
	steps := cmp.Or(t.MaxSteps, t.Agent.MaxSteps, turn.DelegateMaxSteps)
	if t.Agent.MaxSteps > 0 { // the model cannot raise the limit of the file
		steps = min(steps, t.Agent.MaxSteps)
	}
	limits := event.Budget{event.LimitSteps: float64(steps)}
	if t.Agent.MaxCost > 0 {
		limits[event.LimitCost] = t.Agent.MaxCost
	}
	o := loop.Options{
		Log: s.log, Limits: from.Limits, TurnBudget: limits, Connected: from.Connected,
		WorkspaceOptions:  loop.WorkspaceOptions{Ledger: workspace.NewLedger()},
		ModelOptions:      loop.ModelOptions{Models: from.Models, Summary: from.Summary, Offer: catalog.Offer},
		PromptOptions:     loop.PromptOptions{System: t.Agent.System(), Secrets: from.Secrets},
		PermissionOptions: loop.PermissionOptions{Mode: t.Agent.Mode, Attended: from.Attended, Paths: from.Paths},
		DelegateOptions:   loop.DelegateOptions{Parent: host, Label: t.Label},
	}
	o.Paths.Workspace = s.work.Dir()
	if o.Situation = l.situation; s.isolated != nil {
		o.Situation = l.a.situationIn(s.work)
		o.System += "\n\n" + s.isolated.Instructions()
		o.Paths = s.isolated.Paths(from.Paths)
	}
	o.Listen = l.a.trace.Delegate(t.ID)
	return o
}

// tools returns the tools of a delegate, and sets the options that depend on them.
func (l *launcher) tools(t delegate.Task, s *delegateSession, o *loop.Options) ([]tools.Tool, error) {
	a := l.a
	commands := a.commandsIn(tools.Commands{Workspace: s.work}, o.Paths)
	checks := newChecks(commands, a.set.Checks)
	custom, err := customTools(a.set, commands)
	if err != nil {
		return nil, err
	}
	all := append(newTools(commands, o.Ledger, nil, checks, a.formatter(commands)), custom...)
	interceptors := []any{checks}
	if s.isolated == nil { // changes in a worktree are not in the workspace yet
		interceptors = []any{l.evidence, tools.IndexUpdater{Index: a.index}, checks}
	}
	if servers := s.languageServers(commands); servers != nil {
		found := servers.Errors()
		all, interceptors = append(all, servers.Tools(o.Ledger)...), append(interceptors, found)
		o.Listen = listenToChanges(o.Listen, servers, found)
	}
	if a.project != nil {
		p := openInstructions(s.work.Dir(), os.Getenv)
		o.Instructions, o.InstructionNotes = p.Text, p.PendingNotes
		interceptors = append(interceptors, p)
		if len(p.Skills()) > 0 {
			all = append(all, p.SkillTool())
		}
	}
	calls := a.callHooks(s.work.Dir(), strconv.Itoa(t.ID))
	o.Interceptors = a.intercept(calls, a.changes.with(s.work, s.isolated != nil, withHooks(calls, interceptors))...)
	if s.isolated == nil {
		o.Undo.Recorder = a.changes.recorder
	}
	o.Schemas = append(slices.Clone(a.options.Tools), l.session...)
	only, err := allowedTools(t, append(slices.Clone(all), l.session...))
	if err != nil {
		return nil, err
	}
	o.Only = only
	return all, nil
}

// allowedTools returns the names of the tools that a task allows; nil for all.
func allowedTools(t delegate.Task, all []tools.Tool) ([]string, error) {
	only := t.Agent.Tools
	if t.Tools == nil {
		return only, nil
	}
	accepted := tools.Accepted(all)
	both := []string{}
	for _, name := range t.Tools {
		named := delegate.ToolsCalled(accepted, name)
		if len(named) == 0 {
			var names []string
			for _, tool := range accepted {
				if delegate.ToolsCalled(accepted, tool.Name) != nil {
					names = append(names, tool.Name)
				}
			}
			return nil, advice.Add(fmt.Errorf("there is no tool %q for delegates", name), "The tools are: %s", strings.Join(names, ", "))
		}
		for _, own := range named {
			if only == nil || delegate.Selected(only, own) {
				both = append(both, own)
			}
		}
	}
	return both, nil
}

// model returns the model of a task. Parent is the model of the parent.
func (l *launcher) model(parent turn.Model, t delegate.Task) (turn.Model, error) {
	name, chosen := cmp.Or(t.Model, t.Agent.Model), t.Model != ""
	if name == delegate.Small {
		name = l.a.set.Small
	} else {
		name = l.inFamily(parent.Name, name)
	}
	provider, _, _ := strings.Cut(parent.Name, "/")
	other := name != "" && !strings.HasPrefix(name, provider+"/") && name != l.a.set.Small
	switch {
	case other && chosen:
		return turn.Model{}, advice.Add(fmt.Errorf("the model %s belongs to another provider than %s", name, parent.Name), "Leave model out, or use one of %s", provider)
	case other && t.Agent.FromRepository:
		name = ""
	}
	if (name == "" || name == parent.Name) && t.Agent.Effort == "" {
		return parent, nil
	}
	if l.a.options.Models == nil {
		return parent, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m, err := l.a.options.Models(cmp.Or(name, parent.Name), t.Agent.Effort)
	if err != nil {
		return turn.Model{}, fmt.Errorf("the agent %s cannot use the model %s: %w", t.Name, cmp.Or(name, parent.Name), err)
	}
	return m, nil
}

// families are the model names in agent files of Claude Code.
var families = []string{"sonnet", "opus", "haiku"}

// inFamily resolves the name of a model for a delegate of the model parent. The name of
// a family becomes the newest model of that family that parent's provider has. The
// result is empty for the model parent, and for a family without a model.
func (l *launcher) inFamily(parent, name string) string {
	provider, _, _ := strings.Cut(parent, "/")
	changes := l.a.set.Changes()
	row, ok := changes.Find(provider)
	switch {
	case name == "" || name == parent:
		return ""
	case !slices.Contains(families, name):
		if _, _, full := catalog.Split(name); !full {
			name = provider + "/" + name
		}
		return name
	case !ok:
		return ""
	}
	for _, m := range slices.Backward(changes.ModelsOf(catalog.ProviderStatus{Row: row})) {
		if strings.Contains(m, "claude-"+name) {
			return provider + "/" + m
		}
	}
	return ""
}

// delegateSession is the session of a delegate. It implements delegate.Session.
type delegateSession struct {
	*loop.Agent
	app      *app
	host     delegate.Host
	label    delegate.Label
	log      *history.Log // nil if the session is not saved
	work     *workspace.Workspace
	isolated *isolation.Worktree // nil if it works in the workspace of the parent
	servers  *lsp.Pool           // language servers of its worktree; nil if there are none
	model    string
}

// languageServers returns the language servers that the delegate uses; nil for none. In a
// worktree, it has its own.
func (s *delegateSession) languageServers(commands tools.Commands) *lsp.Pool {
	if s.app.servers == nil || s.isolated == nil {
		return s.app.servers
	}
	s.servers = s.app.servers.In(s.work, s.app.programs().Start(s.work.Dir(), commands.Area))
	return s.servers
}

// Info describes the session.
func (s *delegateSession) Info() event.DelegateStart {
	start := event.DelegateStart{Model: s.model}
	if s.log != nil {
		start.Session = s.log.Header().ID
	}
	if s.isolated != nil {
		start.Dir = s.work.Dir()
	}
	return start
}

// Finish applies the changes of a worktree, saves the transcript and closes the
// session.
func (s *delegateSession) Finish(ctx context.Context, reason event.Reason) (note, transcript string, changes []tools.Change) {
	s.servers.Close()
	switch {
	case s.isolated != nil && reason == "":
		s.isolated.Discard()
	case s.isolated != nil:
		note, changes = s.isolated.Finish(ctx, s.host, s.label, reason)
	}
	if s.log == nil {
		return note, "", changes
	}
	transcript, err := s.saveTranscript()
	if err != nil {
		note = strings.TrimSpace(note + "\n[The transcript could not be saved: " + err.Error() + "]")
	}
	_ = s.log.Close()
	return note, transcript, changes
}

// saveTranscript writes the transcript to the outputs of the parent, where its tools
// can read it, and returns the name of the file.
func (s *delegateSession) saveTranscript() (string, error) {
	outputs, ok := s.host.Outputs().(*history.Log)
	if !ok || !s.log.Begun() {
		return "", nil
	}
	text, err := sessions.Markdown(s.log)
	if err != nil {
		return "", err
	}
	name := "delegate-" + s.log.Header().ID + ".md"
	if err := outputs.SaveOutput(name, text); err != nil {
		return "", err
	}
	return filepath.Join(outputs.Outputs(), name), nil
}
