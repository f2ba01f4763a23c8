package loop

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"agent/internal/loop/budget"
	"agent/internal/loop/delegate"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/standing"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

// host is the view that delegates have of their agent. It implements delegate.Host.
type host struct{ a *Agent }

// Emit records and reports an event.
func (h host) Emit(e event.Event) error { return h.a.emit(e) }

// Model returns the current model.
func (h host) Model() turn.Model { return h.a.models.Current() }

// Permissions returns the permissions of a delegate.
func (h host) Permissions(widest event.Mode, paths policy.Paths) turn.Permissions {
	paths.Shared = h.a.permissions.paths.Shared
	return narrowed{h.a.permissions, widest, paths}
}

// Approver returns an approver that asks the user on behalf of a delegate; nil if there
// is no user.
func (h host) Approver(d delegate.Label) turn.Approver {
	if h.a.user == nil {
		return nil
	}
	return delegateApprover{h.a, d}
}

// Budget returns the budget that the agent and its delegates share.
func (h host) Budget() *budget.Account { return h.a.budget }

// Outputs returns the store of long results; nil if none are stored.
func (h host) Outputs() turn.Outputs { return h.a.outputs }

// Apply judges a call that a delegate wants, and runs it if it is approved.
func (h host) Apply(ctx context.Context, d delegate.Label, widest event.Mode, call tools.Call) (tools.Result, error) {
	t := &turn.Turn{
		Permissions: h.Permissions(widest, h.a.permissions.paths), Approver: h.Approver(d), Emit: h.Emit, Clock: h.a.o.Clock,
		Runner: turn.Runner{Interceptors: h.a.o.Interceptors},
	}
	return t.Apply(ctx, applyID(d.ID), call)
}

// delegateApprover asks the user on behalf of a delegate.
type delegateApprover struct {
	a     *Agent
	label delegate.Label
}

// Approve asks the user. If they grant a standing permission, it applies to the whole
// session and is recorded in the log of the session.
func (d delegateApprover) Approve(ctx context.Context, ask event.Ask, offer standing.Grant) (event.Answer, *standing.Grant, error) {
	id := ask.ID
	ask.ID, ask.Agent = event.AskID(d.label.ID, id), d.label.String()
	d.a.o.Delegates.Waiting(d.label.ID, true)
	defer d.a.o.Delegates.Waiting(d.label.ID, false)
	answer, grant, err := d.a.approvals.Approve(ctx, ask, offer)
	if answer.ID = id; grant == nil {
		return answer, grant, err
	}
	record, more := grant.Records()
	_ = d.a.rec.emit(&event.Decided{
		Meta: event.Meta{Agent: strconv.Itoa(d.label.ID), Time: d.a.o.Clock.Now()}, ID: ask.ID,
		Decision: answer.Decision, Scope: d.a.permissions.Describe(*grant), Grant: record, More: more,
	})
	return answer, grant, err
}

// delegateCommand executes a command about delegates. It reports false for others.
func (a *Agent) delegateCommand(c event.Command) bool {
	var err error
	switch c := c.(type) {
	case event.ListDelegates:
		a.o.Delegates.List(c.Ref)
	case event.StartDelegate:
		if err = a.o.Delegates.Start(c.Agent, c.Prompt); err == nil && c.CommandID != "" {
			a.o.Delegates.List(c.Ref)
		}
	case event.SteerDelegate:
		if err = a.o.Delegates.Steer(c.ID, c.Text); err != nil {
			_ = a.rec.emit(event.Unsent{Text: c.Text})
		}
	case event.StopDelegate:
		err = a.o.Delegates.Stop(c.ID)
	case event.DetachDelegate:
		err = a.o.Delegates.Detach(c.ID)
	case event.WatchDelegate:
		err = a.o.Delegates.Watch(c.ID)
	default:
		return false
	}
	if err != nil {
		a.rec.answer(event.RefOf(c), sentence(err))
	}
	return true
}

// sentence returns an error as a sentence for the user.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// mentioned returns a note for the model about the agents that a prompt mentions;
// empty if it mentions none.
func (a *Agent) mentioned(text string) string {
	if !strings.Contains(text, event.Mention) {
		return ""
	}
	var notes []string
	names, unknown := a.o.Delegates.Mentioned(text)
	for _, err := range unknown {
		a.rec.notify(sentence(err))
	}
	for _, name := range names {
		notes = append(notes, "[The user wants you to delegate this to the agent "+name+": call delegate.]")
	}
	return strings.Join(notes, "\n")
}

// applyID identifies the call that applies the changes of a delegate.
func applyID(delegate int) string { return fmt.Sprintf("apply-%d", delegate) }
