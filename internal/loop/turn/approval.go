package turn

import (
	"context"
	"os"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/diffs"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/standing"
	"agent/internal/tools"
)

// approve asks the user to approve c and reports whether they did. Otherwise it
// sets the result of c.
func (x *executor) approve(ctx context.Context, c *toolCall, v policy.Verdict) bool {
	if x.approver == nil {
		c.end.Unattended = true
		var text string
		text, c.end.Summary = notApproved(c, v)
		c.finish(event.Refused, text)
		return false
	}
	ask := x.question(c, v)
	answer, err := x.ask(ctx, ask, v.Offer)
	if err != nil {
		c.end.Proposed = ask.Diffs
		c.finish(event.Interrupted, notRunStopped(ctx)+" before approving this call")
		return false
	}
	if answer.Decision == event.Refuse {
		c.end.Proposed, c.rejected = ask.Diffs, true
		c.finish(event.Refused, rejection(answer.Note, diffs.Comments(ask.Diffs, answer.Hunks)))
		return false
	}
	if len(answer.Hunks) > 0 {
		return x.approvePart(c, ask.Diffs, answer.Hunks)
	}
	if change := changed(ctx, c.call, v, x.permissions.Judge(ctx, c.call)); change != "" {
		c.finish(event.Failed, "not run: "+change+whileAsking+". Look at the change. If the command is still needed, call it again: the user will be asked again")
		return false
	}
	return true
}

// approvePart approves the hunks of c that the user accepted. It reports whether there
// are any; otherwise it sets the result.
func (x *executor) approvePart(c *toolCall, proposed []event.Diff, answers []event.HunkAnswer) bool {
	p, err := diffs.Divide(c.call.Changes, proposed, answers)
	switch {
	case err != nil:
		c.finish(event.Failed, "not run: the answer of the user's program does not fit the change ("+err.Error()+"). Call it again: the user will be asked again")
		return false
	case len(p.Changes) == 0:
		c.end.Proposed, c.rejected = proposed, true
		c.finish(event.Refused, "rejected by the user: the hunks that they accepted change nothing.\n"+p.Report)
		return false
	}
	c.part = &p
	return true
}

// whileAsking follows the change of a file that a command uses.
const whileAsking = " while the approval dialog was open"

// ask asks the user, waits for the answer, and emits the decision.
func (x *executor) ask(ctx context.Context, ask event.Ask, offer standing.Grant) (event.Answer, error) {
	id := ask.ID // Approve may ask under another one
	answer, grant, err := x.approver.Approve(ctx, ask, offer)
	if err != nil {
		return answer, err
	}
	answer.Hunks = diffs.Settle(ask.Diffs, answer.Hunks)
	if answer.Hunks != nil && !slices.ContainsFunc(answer.Hunks, func(a event.HunkAnswer) bool { return len(a.Accepted)+len(a.Edited) > 0 }) {
		answer.Decision = event.Refuse
	}
	d := &event.Decided{Meta: x.out.meta(), ID: id, Decision: answer.Decision, Note: answer.Note, Hunks: diffs.Decisions(ask.Diffs, answer.Hunks)}
	if ask.Rerun {
		d.Rerun = ask.Reach
	}
	if answer.Decision == event.Always && grant == nil { // no standing permission was offered
		d.Decision = event.Allow
	}
	if grant != nil {
		d.Scope, d.Project = x.permissions.Describe(*grant), grant.Prefix
		d.Grant, d.More = grant.Records()
	}
	x.out.emit(d)
	return answer, nil
}

// changed says which of the files that a command names changed between two verdicts, as a
// clause; empty if none did.
func changed(ctx context.Context, c tools.Call, then, now policy.Verdict) string {
	if c.Effect != tools.Execute || len(c.Targets) == 0 || now.Refuse || ctx.Err() != nil {
		return ""
	}
	return standing.Changed(c.Targets[0].Dir, then.Files, now.Files)
}

// question returns the approval request for c.
func (x *executor) question(c *toolCall, v policy.Verdict) event.Ask {
	warnings := slices.Concat(c.call.Warnings, c.call.Remarks)
	if v.Warning != "" {
		warnings = append(warnings, v.Warning)
	}
	tool := ""
	if c.call.Effective != nil {
		tool = c.call.Effective.Tool
	}
	reason := ""
	if v.Requested {
		reason = c.call.Request.Reason
	}
	return event.Ask{
		Request: v.Requested, Reason: reason,
		ID: c.msg.ID, Tool: tool, Title: c.title(), Effect: event.Effect(c.call.Effect), Targets: withInputs(targets(c.call.Targets), c.call.Targets),
		Diffs: diffs.Of(c.call.Changes), Warnings: warnings, Why: v.Why, Scope: x.permissions.Describe(v.Offer),
		Project: v.Offer.Prefix, Reach: reachOf(v.Access), Writes: writes(v.Access.Write), Auto: v.Auto,
	}
}

// writes returns paths with a slash after those of directories.
func writes(paths []string) (out []string) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path += "/"
		}
		out = append(out, path)
	}
	return out
}

// notApproved explains that there is no user to approve a call: to the model, and
// to the user.
func notApproved(c *toolCall, v policy.Verdict) (model, user string) {
	if v.Protected {
		return "denied: " + v.Warning + ". Changing it always needs the user's approval, and nobody can approve it in this run. Leave it unchanged, and tell the user what you would change in it",
			v.Warning + "; approve it in an interactive session"
	}
	tell, remedy := "what you would have run", "approve it in an interactive session"
	if flags := phrase.List(v.Remedies, "or"); flags != "" {
		tell, remedy = "that "+flags+" allows it", "allow it with "+flags
	}
	why := strings.Join(append([]string{v.Rule}, c.call.Warnings...), "; ")
	what, without := "it", "Continue without it"
	if v.Requested {
		without = "Run it without access, or continue without it"
	}
	if v.Part != "" {
		what, without = "`"+v.Part+"`", "Nothing of the line ran. Continue without this command"
	}
	return "denied: " + what + " needs the user's approval (" + why + "), and nobody can approve it in this run. " + without + ", or tell the user " + tell,
		why + "; " + remedy
}

// rejection is what the model reads when the user rejects a call, with a note and comments
// on lines. Both may be empty.
func rejection(note, comments string) string {
	switch {
	case note != "" && comments != "":
		return "rejected by the user: " + note + "\n" + comments
	case comments != "":
		return "rejected by the user, who comments on the change. It was not run.\n" + comments
	case note == "":
		return "rejected by the user. It was not run. Do not try it again: continue without it, or ask the user for an alternative"
	}
	return "rejected by the user: " + note
}

// withInputs adds the arguments of MCP tools to targets.
func withInputs(out []event.Target, ts []tools.Target) []event.Target {
	for i := range out {
		out[i].Input = ts[i].Input
	}
	return out
}

func targets(ts []tools.Target) []event.Target {
	var out []event.Target
	for _, t := range ts {
		out = append(out, event.Target{Kind: event.TargetKind(t.Kind), Value: t.Value, Dir: t.Dir})
	}
	return out
}

// doubted returns the verdict v on c, with the question whether a doubtful call may run.
// Without a user such a call runs only if it reads.
func (x *executor) doubted(c *toolCall, v policy.Verdict) policy.Verdict {
	if c.doubt == "" || v.Refuse || x.approver == nil && onlyReads(c.call, v) {
		return v
	}
	v.Ask, v.Why, v.Rule, v.Offer, v.Remedies, v.Auto = true, c.doubt, c.doubt, standing.Grant{}, nil, false
	v.Warning = strings.TrimSuffix(c.doubt+"; "+v.Warning, "; ")
	return v
}

// onlyReads reports whether a call with the verdict v only reads.
func onlyReads(c tools.Call, v policy.Verdict) bool {
	return c.Effect == tools.Read || c.Effect == tools.Execute && v.Access.Private
}
