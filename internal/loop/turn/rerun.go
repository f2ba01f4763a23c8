package turn

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// rerun is the attempt to run a command again after its sandbox made it fail or refused
// a change that cannot be undone, or to restart a job that no program outside the sandbox
// can reach.
type rerun struct {
	c       *toolCall // with the result of the first run
	call    tools.Call
	blocked tools.Blocked
	first   tools.Access   // of the first run
	verdict policy.Verdict // on call
}

// rerun asks the user whether to run c again if its sandbox made it fail. If they
// approve it, the result of the second run replaces that of the first one. Otherwise a
// note for the model is added to the first result. It asks once for each call.
func (x *executor) rerun(ctx context.Context, c *toolCall) {
	if c.blocked == nil || x.stopped(ctx) != "" {
		return
	}
	s := rerun{c: c, call: c.call, blocked: *c.blocked, first: c.verdict.Access}
	if s.blocked.Restart != nil {
		s.call = *s.blocked.Restart
		s.call.Tool, s.call.Effective = c.call.Tool, c.call.Effective
	}
	s.verdict = x.permissions.JudgeRerun(ctx, s.call, s.access())
	if s.stay() != "" && !s.verdict.Refuse && !s.verdict.Ask {
		s.verdict.Ask, s.verdict.Why = true, "the changes of the first run stay"
	}
	switch {
	case s.verdict.Refuse:
		s.note("It was not " + s.did() + ": " + s.verdict.Why)
	case s.verdict.Ask && x.approver == nil:
		s.unattended()
	case !s.verdict.Ask, x.approveRerun(ctx, s):
		if err := s.undo(ctx); err != nil {
			s.note("It was not " + s.did() + ", because the changes of the first run cannot be undone: " + err.Error())
			c.end.Summary += " · not " + s.did() + ": its changes cannot be undone: " + err.Error()
			return
		}
		c.call, c.verdict, c.end, c.reads = s.call, s.verdict, event.ToolEnd{}, nil
		x.runner.run(ctx, x.info(c), c, x.progress(c))
		s.describe()
	}
}

// undo undoes the changes of the first run, if that is possible.
func (s rerun) undo(ctx context.Context) error {
	if s.blocked.Undo == nil {
		return nil
	}
	return s.blocked.Undo(ctx)
}

// describe notes for the model and the user that the result is that of a second run.
func (s rerun) describe() {
	c := s.c
	first := "The first run failed because "
	if s.blocked.Port > 0 {
		first = "In the first run, "
	}
	undone := ""
	if names := s.undoes(); names != "" {
		undone = " Its changes were undone: " + names + "."
	}
	why := "The user approved a second one"
	if !s.verdict.Ask {
		why = "The user has allowed the network for it"
	}
	s.note(first + s.reason() + "." + undone + " " + why + ", so it was " + s.did() + ": this is the result")
	if stay := s.stay(); stay != "" {
		s.note("Ran twice: the changes of the first run stay: " + stay + ". Check that nothing was done twice")
	}
	if c.end.Summary != "" {
		c.end.Summary += " · "
	}
	c.end.Summary += s.did()
}

// approveRerun asks the user, and reports whether to run the command again. The time
// until the answer is not part of the duration of the call.
func (x *executor) approveRerun(ctx context.Context, s rerun) bool {
	v := s.verdict
	asked := toolCall{msg: s.c.msg, call: s.call}
	ask := x.question(&asked, v)
	ask.Address = s.blocked.Address
	ask.Reach, ask.Rerun, ask.Blocked, ask.NotUndoable, ask.Port, ask.Stay = s.reach(), true, s.blocked.Path, s.blocked.NotUndoable, s.blocked.Port, s.stay()
	ask.Undoes, ask.StayWhy = s.undoes(), s.blocked.Stays
	began := x.out.clock.Now()
	answer, err := x.ask(ctx, ask, v.Offer)
	s.c.start = s.c.start.Add(x.out.clock.Now().Sub(began))
	switch {
	case err != nil:
		s.note("It was not " + s.did() + ": the user interrupted the turn")
		return false
	case answer.Decision == event.Refuse && answer.Note != "":
		s.note("It was not " + s.did() + ". The user rejected that: " + answer.Note)
		return false
	case answer.Decision == event.Refuse:
		s.note("It was not " + s.did() + ", because the user rejected that. Continue without it, or ask the user for an alternative")
		return false
	}
	if change := changed(ctx, s.call, v, x.permissions.JudgeRerun(ctx, s.call, v.Access)); change != "" {
		s.note("It was not " + s.did() + ": " + change + whileAsking)
		return false
	}
	return true
}

// unattended notes for the model and the user that nobody can approve the second run. A
// job that listens continues to run, so this is not a denial.
func (s rerun) unattended() {
	c := s.c
	allow, instead := "", "Continue without the network"
	switch offer := s.verdict.Offer; {
	case s.blocked.NotUndoable != "":
		allow = cmp.Or(strings.Join(s.verdict.Remedies, " or "), "an approval in an interactive session")
		instead = "Continue without this change"
	case s.blocked.Home && offer.Prefix:
		allow = "--allow 'command: " + offer.Value + "'"
		instead = "Continue without this file"
	case s.blocked.Read:
		allow = "an approval in an interactive session"
		instead = "Continue without this file"
	case !s.blocked.Network:
		allow = "--add-dir " + filepath.Dir(s.blocked.Path)
		instead = "Write in the working directory or the temporary directory"
	case offer.Prefix:
		allow = "--allow 'network: " + offer.Value + "'"
	default:
		allow = "a rule --allow 'network: COMMAND'"
	}
	if s.blocked.Port > 0 {
		c.end.Summary += fmt.Sprintf(" · only this session reaches port %d; change that with %s", s.blocked.Port, allow)
		s.note(s.reason() + ". To change that, the user runs agent with " + allow)
		return
	}
	c.end.Unattended = true
	c.end.Summary += " · " + s.reason() + "; allow it with " + allow
	s.note("It was not " + s.did() + ": that needs the user's approval, and nobody can approve it in this run. " + instead + ", or tell the user that " + allow + " allows it")
}

// access returns what the command may reach in the second run.
func (s rerun) access() tools.Access {
	access := s.first
	access.Private, access.HideHome = false, access.Private || access.HideHome
	switch {
	case s.blocked.NotUndoable != "":
		access.Strict, access.NotUndoable = false, true
	case s.blocked.Network:
		access.Network = true
	default:
		access.HideHome, access.Show, access.Outside = false, nil, !s.blocked.Home
	}
	return access
}

// did describes the second run as a participle: "run again with the network".
func (s rerun) did() string {
	switch {
	case s.blocked.Port > 0:
		return "restarted with the network"
	case s.blocked.NotUndoable != "":
		return "run again with changes that cannot be undone"
	case s.blocked.Network:
		return "run again with the network"
	case s.blocked.Home:
		return "run again with the home directory"
	}
	return "run again outside the sandbox"
}

// reason returns what the sandbox prevented in the first run, as a clause.
func (s rerun) reason() string {
	switch {
	case s.blocked.Port > 0:
		return fmt.Sprintf("only commands of this session reach port %d", s.blocked.Port)
	case s.blocked.NotUndoable != "":
		return "the change of " + cmp.Or(s.blocked.Path, "a file") + " cannot be undone: " + s.blocked.NotUndoable
	case s.blocked.Network && s.blocked.Address != "":
		return "commands have no network, and it tried to connect to " + s.blocked.Address
	case s.blocked.Network:
		return "commands have no network"
	}
	switch {
	case s.blocked.Home:
		return "the home directory with " + s.blocked.Path + " is hidden from commands that nobody approved"
	case s.blocked.Read:
		return "commands cannot read " + s.blocked.Path
	}
	return "commands cannot write to " + s.blocked.Path
}

// maxNames is how many changed files a question about a second run names.
const maxNames = 5

// stay says which changes of the first run stay, after a colon; empty if none do, or if nothing is
// known of a job. Changes outside the workspace, which the user approved, are not recorded.
func (s rerun) stay() string {
	var stay []string
	switch {
	case s.blocked.Undo != nil, s.first.Private, s.blocked.Port > 0 && s.blocked.Changed == nil:
	case s.blocked.Changed == nil:
		return "undo did not record them"
	default:
		stay = append(stay, phrase.Some(s.blocked.Changed, maxNames))
	}
	if len(s.first.Write) > 0 {
		stay = append(stay, "those in "+phrase.Some(s.first.Write, maxNames))
	}
	return strings.Join(stay, ", and ")
}

// undoes says which changes of the first run are undone before the second one; empty if none are.
func (s rerun) undoes() string {
	if s.blocked.Undo == nil {
		return ""
	}
	return phrase.Some(s.blocked.Changed, maxNames)
}

// note adds a sentence for the model to the result.
func (s rerun) note(text string) {
	result := &s.c.end.Result.Text
	if *result != "" && !strings.HasSuffix(*result, "\n") {
		*result += "\n"
	}
	*result += "[" + strings.ToUpper(text[:1]) + text[1:] + ".]\n"
}

// reachOf returns the access of a command as event.Ask shows it.
func reachOf(a tools.Access) event.Reach {
	switch {
	case a.Outside:
		return event.ReachAll
	case a.Network:
		return event.ReachNetwork
	case a.NotUndoable:
		return event.ReachNotUndoable
	}
	return ""
}

// reach returns the access of the second run as event.Ask shows it.
func (s rerun) reach() event.Reach {
	if s.blocked.Home {
		return event.ReachHome
	}
	return reachOf(s.verdict.Access)
}
