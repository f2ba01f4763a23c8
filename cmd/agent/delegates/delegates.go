// Package delegates makes the agents that work as delegates of a session.
package delegates

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/cmd/agent/agents"
	"agent/cmd/agent/sessions"
	"agent/cmd/agent/settings"
	"agent/cmd/agent/stored"
	"agent/cmd/agent/trust"
	"agent/internal/history"
	"agent/internal/llm/catalog"
	"agent/internal/loop"
	"agent/internal/loop/delegate"
	"agent/internal/loop/delegate/isolation"
	"agent/internal/loop/event"
	"agent/internal/loop/part"
	"agent/internal/loop/policy"
	"agent/internal/loop/turn"
	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tools/workspace"
)

// Situation describes the environment to a model: see loop.PromptOptions.
type Situation func(ctx context.Context, window int, mode event.Mode, earlier []string) string

// Session is the session whose model starts delegates.
type Session struct {
	Version  string // of the program
	Stored   *stored.Session
	Work     *workspace.Workspace
	Settings settings.Settings
	Trust    *trust.Review // nil in the demo
	Agents   func() []delegate.Agent
	// Options are those of the main agent when a delegate starts.
	Options *loop.Options
	Parts   part.List
	// Commands returns the commands of an agent in w whose calls are judged by paths.
	Commands  func(w *workspace.Workspace, paths policy.Paths) tools.Commands
	Situation func(w *workspace.Workspace) Situation
}

// Pool returns the delegates of s.
func (s Session) Pool() *delegate.Pool {
	l := &launcher{Session: s, session: loop.SessionTools(), situations: map[event.Mode]described{}}
	return delegate.NewPool(delegate.Options{
		Agents: s.Agents, Launch: l.launch, Max: s.Settings.MaxDelegates, Forward: !s.Options.Permissions.Attended, Now: time.Now,
		Confirmed: func(d delegate.Agent) bool { return s.Trust.Confirmed(agents.Item(d)) },
		Confirm:   func(d delegate.Agent) error { return s.Trust.Confirm(agents.Item(d)) },
	})
}

// launcher prepares the delegates of a session.
type launcher struct {
	Session
	session []tools.Tool // tools of every session: see loop.SessionTools

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
		d = described{l.Session.Situation(l.Work)(ctx, window, mode, earlier), now}
		if ctx.Err() == nil && len(earlier) == 0 {
			l.situations[mode] = d
		}
	}
	return d.text
}

// launch prepares the session of a delegate.
func (l *launcher) launch(ctx context.Context, host delegate.Host, t delegate.Task) (delegate.Session, error) {
	model, err := l.model(host.Model(), t)
	if err != nil {
		return nil, err
	}
	s := &running{host: host, label: t.Label, work: l.Work, model: model.Name}
	if t.Worktree {
		if s.isolated, err = l.worktree(ctx, t); err != nil {
			return nil, err
		}
		s.work = s.isolated.Workspace
	}
	if l.Stored.Log != nil {
		s.log = l.Stored.Store.Create(history.Header{Dir: s.work.Dir(), Version: l.Version, Time: time.Now(), Parent: l.Stored.ID(), Agent: t.Name})
	}
	o := l.options(host, t, s)
	o.Models.Current = model
	if err := l.addParts(t, s, &o); err != nil {
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
	return isolation.Open(ctx, isolation.Options{Main: l.Work, State: state, Mode: t.Agent.Mode}, t.Label)
}

// options returns the options of the agent, without its model and its tools.
func (l *launcher) options(host delegate.Host, t delegate.Task, s *running) loop.Options {
	from := l.Options
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
		Workspace:   loop.WorkspaceOptions{Ledger: workspace.NewLedger()},
		Models:      loop.ModelOptions{Find: from.Models.Find, Summary: from.Models.Summary, Offer: catalog.Offer},
		Prompt:      loop.PromptOptions{System: t.Agent.System(), Secrets: from.Prompt.Secrets},
		Permissions: loop.PermissionOptions{Mode: t.Agent.Mode, Attended: from.Permissions.Attended, Paths: from.Permissions.Paths},
		Delegate:    loop.DelegateOptions{Parent: host, Label: t.Label},
	}
	o.Permissions.Paths.Workspace = s.work.Dir()
	if o.Prompt.Situation = l.situation; s.isolated != nil {
		o.Prompt.Situation = l.Session.Situation(s.work)
		o.Prompt.System += "\n\n" + s.isolated.Instructions()
		o.Permissions.Paths = s.isolated.Paths(from.Permissions.Paths)
	}
	return o
}

// addParts adds to o what the parts of the session add to the delegate.
func (l *launcher) addParts(t delegate.Task, s *running, o *loop.Options) (err error) {
	s.parts, err = l.Parts.For(part.Agent{
		Workspace: s.work, Commands: l.Commands(s.work, o.Permissions.Paths), Ledger: o.Workspace.Ledger, Number: t.ID, Isolated: s.isolated != nil,
	})
	if err != nil {
		return err
	}
	o.Add(s.parts)
	if s.isolated == nil {
		o.Workspace.Undo.Recorder = l.Options.Workspace.Undo.Recorder
	}
	o.Delegate.Schemas = append(slices.Clone(l.Options.Tools), l.session...)
	o.Delegate.Only, err = allowedTools(t, append(slices.Clone(o.Tools), l.session...))
	return err
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
		name = l.Settings.Small
	} else {
		name = l.inFamily(parent.Name, name)
	}
	provider, _, _ := strings.Cut(parent.Name, "/")
	other := name != "" && !strings.HasPrefix(name, provider+"/") && name != l.Settings.Small
	switch {
	case other && chosen:
		return turn.Model{}, advice.Add(fmt.Errorf("the model %s belongs to another provider than %s", name, parent.Name), "Leave model out, or use one of %s", provider)
	case other && t.Agent.FromRepository:
		name = ""
	}
	if (name == "" || name == parent.Name) && t.Agent.Effort == "" {
		return parent, nil
	}
	if l.Options.Models.Find == nil {
		return parent, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m, err := l.Options.Models.Find(cmp.Or(name, parent.Name), t.Agent.Effort)
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
	changes := l.Settings.Changes()
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

// running is the session of a delegate. It implements delegate.Session.
type running struct {
	*loop.Agent
	host     delegate.Host
	label    delegate.Label
	log      *history.Log // nil if the session is not saved
	work     *workspace.Workspace
	isolated *isolation.Worktree // nil if it works in the workspace of the parent
	parts    part.Sum
	model    string
}

// Info describes the session.
func (s *running) Info() event.DelegateStart {
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
func (s *running) Finish(ctx context.Context, reason event.Reason) (note, transcript string, changes []tools.Change) {
	s.parts.Close()
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
func (s *running) saveTranscript() (string, error) {
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
