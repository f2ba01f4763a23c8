package turn

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// secondRun is the attempt to run a command again that its sandbox made fail.
type secondRun struct {
	c       *toolCall // with the result of the first run
	blocked tools.Blocked
	verdict policy.Verdict // on running it again
}

// runAgain asks the user whether to run c again if its sandbox made it fail. If they
// approve it, the result of the second run replaces that of the first one. Otherwise a
// note for the model is added to the first result. It asks once for each call.
func (x *executor) runAgain(ctx context.Context, c *toolCall) {
	if c.blocked == nil || x.stopped(ctx) != "" {
		return
	}
	s := secondRun{c: c, blocked: *c.blocked}
	s.verdict = x.Permissions.Again(ctx, c.call, s.access())
	switch {
	case s.verdict.Refuse:
		s.note("It was not run again " + s.how() + ": " + s.verdict.Why)
	case x.Approver == nil:
		s.unattended()
	case x.approveAgain(ctx, s):
		c.verdict, c.end, c.reads = s.verdict, event.ToolEnd{}, nil
		x.Runner.run(ctx, x.info(c), c, x.progress(c))
		s.note(fmt.Sprintf("It ran twice: the first run failed because %s. The user approved this second run, %s", s.reason(), s.how()))
		if c.end.Summary != "" {
			c.end.Summary += " · "
		}
		c.end.Summary += "run again " + s.how()
	}
}

// approveAgain asks the user, and reports whether to run the command again. The time
// until the answer does not count as a duration of the call.
func (x *executor) approveAgain(ctx context.Context, s secondRun) bool {
	c, v := s.c, s.verdict
	ask := x.question(c, v)
	ask.Again, ask.Blocked = true, s.blocked.Path
	began := x.out.clock.Now()
	answer, err := x.ask(ctx, ask, v.Offer)
	c.start = c.start.Add(x.out.clock.Now().Sub(began))
	switch {
	case err != nil:
		s.note("The user interrupted the turn before deciding whether to run it again " + s.how())
		return false
	case answer.Decision == event.Refuse && answer.Note != "":
		s.note("The user rejected running it again " + s.how() + ": " + answer.Note)
		return false
	case answer.Decision == event.Refuse:
		s.note("The user rejected running it again " + s.how() + ". Continue without it, or ask the user for an alternative")
		return false
	}
	if v.Offer.Scope == (policy.Scope{}) {
		return true
	}
	if change := changed(ctx, v.Offer, x.Permissions.Again(ctx, c.call, v.Access)); change != "" {
		s.note("It was not run again: " + change + whileAsking)
		return false
	}
	return true
}

// unattended notes that nobody can approve the second run, for the model and the user.
func (s secondRun) unattended() {
	c := s.c
	allow, instead := "", "Continue without the network"
	switch offer := s.verdict.Offer; {
	case !s.blocked.Network:
		allow = "--add-dir " + filepath.Dir(s.blocked.Path)
		instead = "Write in the working directory or the temporary directory instead"
	case offer.Prefix:
		allow = "--allow 'network: " + offer.Value + "'"
	default:
		allow = "a rule --allow 'network: COMMAND'"
	}
	c.end.Unattended = true
	c.end.Summary += " · " + s.reason() + "; allow it with " + allow
	s.note("Running it again " + s.how() + " needs the user's approval, and nobody can approve it in this run. " + instead + ", or tell the user that " + allow + " allows it")
}

// access returns what the command may reach in the second run.
func (s secondRun) access() tools.Access {
	access := s.c.verdict.Access
	access.Private = false
	if s.blocked.Network {
		access.Network = true
	} else {
		access.Outside = true
	}
	return access
}

// how returns how the command would run again.
func (s secondRun) how() string {
	if s.blocked.Network {
		return "with the network"
	}
	return "outside the sandbox"
}

// reason returns why the first run failed, as a clause.
func (s secondRun) reason() string {
	if s.blocked.Network {
		return "commands have no network"
	}
	return "commands cannot write to " + s.blocked.Path
}

// note adds a sentence for the model to the result.
func (s secondRun) note(text string) {
	result := &s.c.end.Result.Text
	if *result != "" && !strings.HasSuffix(*result, "\n") {
		*result += "\n"
	}
	*result += "[" + text + ".]\n"
}

// reachOf returns the access of a command as event.Ask shows it.
func reachOf(a tools.Access) event.Reach {
	switch {
	case a.Outside:
		return event.ReachAll
	case a.Network:
		return event.ReachNetwork
	}
	return ""
}
