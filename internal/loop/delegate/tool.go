package delegate

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/diffs"
	"agent/internal/loop/event"
	"agent/internal/loop/policy/standing"
	"agent/internal/loop/session"
	"agent/internal/tools"
	"agent/internal/tools/advice"
)

//go:embed delegate.md
var toolText string

const (
	toolName  = "delegate"
	maxPrompt = 100_000 // bytes
)

type arguments struct {
	Agent      string   `json:"agent"`
	Prompt     string   `json:"prompt"`
	Model      string   `json:"model,omitempty" jsonschema:"only if the user names one"`
	Tools      []string `json:"tools,omitempty" jsonschema:"only these; [none] for no tools"`
	MaxSteps   int      `json:"max_steps,omitempty"`
	Background bool     `json:"background,omitempty" jsonschema:"the answer arrives as a message"`
	Isolation  string   `json:"isolation,omitempty" enum:"worktree" jsonschema:"it edits a copy; the user approves the changes"`
}

const (
	isolated = "worktree" // the only value of Isolation
	// noTools, as the only element of Tools, means none. An empty list means no limit,
	// because many models send it for an argument that they do not use.
	noTools = "none"
)

// Tool is the tool with which the model starts delegates.
type Tool struct {
	tools.Tool
	pool *Pool
}

// Tool returns the tool with which the model starts delegates. Its description lists
// the agents.
func (p *Pool) Tool() Tool { return Tool{p.toolFor(""), p} }

// ForCall returns the tool for the call of that ID.
func (t Tool) ForCall(id string) tools.Tool {
	call := t.pool.toolFor(id)
	tools.ShareSchema(call, t.Tool)
	return call
}

// Unwrap implements tools.Wrapper.
func (t Tool) Unwrap() tools.Tool { return t.Tool }

// toolFor returns the tool for the call of that ID.
func (p *Pool) toolFor(call string) tools.Tool {
	return tools.New(toolName, p.text(), func(_ context.Context, a arguments) (tools.Call, error) {
		t, err := p.task(a)
		if err != nil {
			return tools.Call{}, err
		}
		title := "delegate to " + Label{t.Agent.Name, p.reserve(call)}.String() + ": " + phrase.OneLine(a.Prompt, maxTask)
		return tools.Call{Title: title, Effect: tools.Delegate, Run: func(ctx context.Context, ok tools.Approved) (tools.Result, error) {
			return p.runCall(ctx, ok, t, call, a.Background)
		}}, nil
	}, form())
}

// maxAgentList is the length of the list of agents in the description of the tool, in
// bytes: about 800 tokens.
const maxAgentList = 3_200

// describe returns the description of the tool with a list of the agents. If there are
// many, descriptions are shortened; if there are too many, the last agents are left out.
func describe(agents []Agent) string {
	var b strings.Builder
	for i, a := range agents {
		// The remaining lines share the remaining room equally.
		room := (maxAgentList - b.Len()) / (len(agents) - i)
		line := "- " + phrase.Clip(a.Name+": "+a.Description, max(room, minAgentLine)) + "\n"
		if b.Len()+len(line) > maxAgentList {
			fmt.Fprintf(&b, "- and %d more: the error for an unknown name lists all agents\n", len(agents)-i)
			break
		}
		b.WriteString(line)
	}
	return strings.TrimSpace(strings.TrimSpace(toolText) + "\n\nThe agents:\n" + b.String())
}

// minAgentLine is the minimum length of a line in the list of agents, in bytes.
const minAgentLine = 60

// task returns the task that a call describes.
func (p *Pool) task(a arguments) (Task, error) {
	agent, err := p.agent(a.Agent)
	switch {
	case err != nil:
		return Task{}, err
	case strings.TrimSpace(a.Prompt) == "":
		return Task{}, errors.New("the prompt is empty: describe the task")
	case len(a.Prompt) > maxPrompt:
		return Task{}, fmt.Errorf("the prompt has %d bytes, at most %d are allowed: name files instead of quoting them", len(a.Prompt), maxPrompt)
	case a.MaxSteps < 0:
		return Task{}, errors.New("max_steps must be positive")
	}
	if slices.Equal(a.Tools, []string{noTools}) {
		a.Tools = []string{}
	}
	return Task{Agent: agent, Prompt: a.Prompt, Model: a.Model, Tools: a.Tools, MaxSteps: a.MaxSteps, Worktree: agent.Worktree || a.Isolation == isolated}, nil
}

// runCall starts a delegate and waits until it has ended or continues in the
// background. If ctx ends, it stops the delegate.
func (p *Pool) runCall(ctx context.Context, ok tools.Approved, t Task, call string, background bool) (tools.Result, error) {
	// Without a user the program exits after the turn, and nobody could read the
	// answer.
	background = background && p.attended()
	d, err := p.start(t, call, background)
	if err != nil {
		return tools.Result{}, err
	}
	if background {
		return d.inBackground(), nil
	}
	select {
	case <-d.detached:
		return d.inBackground(), nil
	case <-d.done:
		if d.end.Advice != "" { // the user reads only the error
			return tools.Result{}, advice.Add(errors.New(d.end.Error), "%s", strings.TrimPrefix(d.end.Advice, ". "))
		}
	case <-ctx.Done():
		d.interrupt()
		select {
		case <-ok.Force:
			d.interrupt()
			<-d.done
		case <-d.done:
		}
		return d.result(), ctx.Err()
	}
	return d.result(), nil
}

// attended reports whether there is a user.
func (p *Pool) attended() bool {
	p.mu.Lock()
	h := p.host
	p.mu.Unlock()
	return h != nil && h.Approver(Label{}) != nil
}

// inBackground is the result of a call whose delegate continues in the background.
func (d *delegate) inBackground() tools.Result {
	name := d.task.Label.String()
	return tools.Result{
		Text:       name + " works in the background. Its answer will arrive as a message: do not wait for it and do not repeat its work.",
		References: []string{name},
		Summary:    "in the background",
	}
}

// result is the result of a call whose delegate has ended.
func (d *delegate) result() tools.Result {
	summary := fmt.Sprintf("%s, %s tokens", phrase.Count(d.end.Steps, "step"), phrase.Thousands(d.end.Usage.Total()))
	switch {
	case d.end.Reason == event.UserInterrupt:
		summary = "stopped, " + summary
	case d.end.Reason != event.Done:
		summary = "ended early, " + summary
	}
	text := session.DelegateText(d.end, "")
	footer := text[strings.LastIndexByte(text, '\n')+1:] // names the delegate, its tokens and its transcript
	return tools.Result{Text: text, References: []string{footer, d.note}, Summary: summary, IsError: d.end.Reason == event.UserInterrupt || d.end.Reason != event.Done && d.end.Answer == "", Changes: d.changes}
}

// confirm asks the user to confirm an agent of the repository, unless they have
// confirmed exactly this content before.
func (d *delegate) confirm(ctx context.Context) error {
	a, o := d.task.Agent, d.pool.o
	if !a.FromRepository || o.Confirmed != nil && o.Confirmed(a) {
		return nil
	}
	user := d.host.Approver(d.task.Label)
	if user == nil {
		return advice.Add(fmt.Errorf("the agent %s is defined by the repository (%s) and not confirmed. The user confirms it with: agent trust confirm agent %s", a.Name, a.Source, a.Name), "Do the task without it, or use another agent")
	}
	answer, _, err := user.Approve(ctx, event.Ask{
		ID: "agent", Title: "Use agent " + a.Name + " of this repository?", Effect: event.DelegateEffect,
		Why:   "the repository defines it in " + a.Source + "; you confirm exactly this content, in this workspace",
		Diffs: diffs.Of([]tools.Change{{Path: a.Source, After: []byte(a.Text)}}),
	}, standing.Grant{})
	switch {
	case err != nil:
		return err
	case answer.Decision == event.Refuse && answer.Note != "":
		return errors.New("rejected by the user: " + answer.Note)
	case answer.Decision == event.Refuse:
		return advice.Add(fmt.Errorf("the user did not confirm the agent %s", a.Name), "Do the task without it")
	}
	if o.Confirm != nil {
		return o.Confirm(a)
	}
	return nil
}
