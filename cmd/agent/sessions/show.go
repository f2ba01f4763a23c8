package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/export"
	"agent/internal/loop/session"
	"agent/internal/tui/diff"
)

// ShowOptions are the options of `agent sessions show`.
type ShowOptions struct {
	IO    command.IO
	Store func() (*history.Store, error)

	ID string
}

// NewCmdShow returns `agent sessions show`.
func NewCmdShow(f *command.Factory, runF command.RunFunc[ShowOptions]) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "print the conversation of a session",
		Example: "  agent sessions show 1ng2j0n | less",
		Args:    command.OneArg("one session ID: agent sessions show ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.Or(runF, Show)(cmd.Context(), &ShowOptions{IO: f.IO, Store: f.Store, ID: args[0]})
		},
	}
}

// Show prints the conversation of a session.
func Show(ctx context.Context, opts *ShowOptions) error {
	v, err := View(opts.Store, opts.ID)
	if err != nil {
		return err
	}
	defer v.Close()
	h := v.Header()
	state, err := session.ReplayLog(ctx, v, opts.IO.Damaged)
	if err != nil {
		return fmt.Errorf("read session %s: %w", h.ID, err)
	}
	title := state.Title
	if title == "" {
		title = session.OutlineOf(v.Pass(0)).Title
	}
	t := transcript{out: opts.IO.Out, sessions: map[int]string{}}
	t.say("%s · %s · %s\n%s\n", h.ID, command.Short(h.Dir), h.Time.Local().Format("2006-01-02 15:04"), title)
	if h.Agent != "" {
		t.say("delegate %s of session %s\n", h.Agent, h.Parent)
	}
	for _, e := range state.Events {
		t.event(e)
	}
	return t.err
}

// transcript prints durable events as text. err holds its write errors.
type transcript struct {
	out      command.Console
	sessions map[int]string // IDs of the sessions of delegates, by the numbers of the delegates
	err      error
}

func (t *transcript) event(e event.Durable) {
	switch e := e.(type) {
	case *event.UserSaid:
		if e.Situation {
			return
		}
		t.say("\n› %s\n", strings.ReplaceAll(strings.TrimRight(e.Text, "\n"), "\n", "\n  "))
		if len(e.Images) > 0 {
			t.say("  %s\n", command.NotShown(e.Images))
		}
	case *event.MessageDone:
		t.message(e.Message)
	case *event.Decided:
		if e.Note != "" {
			t.say("  your comment: %s\n", e.Note)
		}
		for _, c := range e.LineComments() {
			t.say("  your comment: %s\n", c)
		}
	case *event.ToolEnd:
		t.call(e)
	case *event.DelegateStart:
		t.sessions[e.ID] = e.Session
		if e.Call == "" {
			t.say("\n› delegated to %s: %s\n", event.DelegateLabel(e.Name, e.ID), strings.TrimRight(e.Prompt, "\n"))
		}
	case *event.DelegateEnd:
		t.delegate(e)
	case *event.PlanSet:
		t.say("\n· %s\n%s\n", export.PlanDecision(e), indent(e.Text))
	case *event.ShellEnd:
		mark := "!"
		if !e.Join {
			mark = "!!"
		}
		t.say("\n› %s%s\n%s\n", mark, e.Line, indent(e.Text))
	case *event.TurnEnd:
		if e.Reason != event.Done && e.Error != "" {
			t.say("\n✗ %s\n", e.Error)
		}
		if line := e.Evidence.Line(); line != "" {
			t.say("\n· %s\n", line)
		}
	case *event.ModelSet:
		name := e.Model
		if e.Host != "" {
			name += " at " + e.Host
		}
		t.say("\n· model: %s\n", name)
	case *event.Compacted:
		t.say("\n· the context of the model was changed (%s)\n", cmp.Or(e.Step, event.CompactResults))
	}
}

func (t *transcript) message(m llm.Message) {
	if m.Search != nil {
		t.say("\n· %s\n", m.Search.Text())
	}
	if m.Kind != llm.Assistant || m.Text == "" {
		return
	}
	cut := ""
	if m.Cut {
		cut = " […]"
	}
	t.say("\n%s%s\n", strings.TrimRight(m.WithSources(), "\n"), cut)
}

// call prints a tool call: its title, its summary or error, and the diffs of files.
func (t *transcript) call(e *event.ToolEnd) {
	mark, more := "·", e.Summary
	if e.Outcome != event.OK {
		mark = "✗"
		more = Failure(e)
	}
	for _, d := range e.Diffs {
		more += "  " + diff.Stat(d)
	}
	t.say("\n%s %s  %s\n", mark, e.Title, strings.TrimSpace(more))
	for _, d := range e.Diffs {
		t.say("%s\n", indent(d.Unified))
	}
}

// delegate prints how a delegate ended. Its answer is in the result of the call or in
// a message.
func (t *transcript) delegate(e *event.DelegateEnd) {
	mark, more := "·", export.DelegateAmounts(e)
	if e.Reason != event.Done {
		mark = "✗"
	}
	if id := t.sessions[e.ID]; id != "" {
		more += " · agent sessions show " + id
	}
	t.say("\n%s %s  %s\n", mark, event.DelegateLabel(e.Name, e.ID), more)
}

// indent returns text with each line indented by two columns.
func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

func (t *transcript) say(format string, args ...any) {
	_, err := io.WriteString(t.out, t.out.Clean(fmt.Sprintf(format, args...)))
	t.err = errors.Join(t.err, err)
}
