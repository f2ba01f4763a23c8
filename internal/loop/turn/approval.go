package turn

import (
	"context"
	"slices"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// approve asks the user whether c may run. It reports the answer; if that is no,
// it sets the result.
func (x *executor) approve(ctx context.Context, c *toolCall, v policy.Verdict) bool {
	if x.Approver == nil {
		c.end.Unattended = true
		var text string
		text, c.end.Summary = notApproved(c, v)
		c.finish(event.Refused, text)
		return false
	}
	answer, grant, err := x.Approver.Approve(ctx, x.question(c, v), v.Offer)
	if err != nil {
		c.finish(event.Interrupted, "not run: the person stopped the turn before answering whether it may run")
		return false
	}
	d := &event.Decided{Meta: x.out.meta(), ID: c.msg.ID, Decision: answer.Decision, Note: answer.Note}
	if answer.Decision == event.Always && grant == nil { // nothing of that kind was offered
		d.Decision = event.Allow
	}
	if grant != nil {
		record := grant.Record()
		d.Scope, d.Grant = x.Permissions.Describe(grant.Scope), &record
	}
	x.out.emit(d)
	if answer.Decision == event.Refuse {
		c.finish(event.Refused, rejection(answer.Note))
		return false
	}
	if change := x.changed(ctx, c, v.Offer); change != "" {
		c.finish(event.Failed, "not run: "+change+" while the user was asked about this command. Look at the change, and call it again if it is still wanted: the user will be asked again")
		return false
	}
	return true
}

// changed returns which file of a command has changed while its question was open;
// empty if none has. A command that may get no standing permission is not
// compared.
func (x *executor) changed(ctx context.Context, c *toolCall, offer policy.Grant) string {
	if c.call.Effect != tools.Execute || offer.Scope == (policy.Scope{}) {
		return ""
	}
	now := x.Permissions.Judge(ctx, c.call)
	if !now.Ask || ctx.Err() != nil {
		return ""
	}
	return offer.Ended(policy.Facts{Files: now.Offer.Files, Unbound: now.Offer.Scope == (policy.Scope{})})
}

// question is the question whether c may run.
func (x *executor) question(c *toolCall, v policy.Verdict) event.Ask {
	warnings := slices.Clone(c.call.Warnings)
	if v.Warning != "" {
		warnings = append(warnings, v.Warning)
	}
	return event.Ask{
		ID: c.msg.ID, Title: c.title(), Effect: string(c.call.Effect), Targets: targets(c.call.Targets),
		Diffs: diffs(c.call.Changes), Warnings: warnings, Why: v.Why, Scope: x.Permissions.Describe(v.Offer.Scope),
	}
}

// notApproved says that there is no user to approve a call: what the model reads of
// it, and what the user does.
func notApproved(c *toolCall, v policy.Verdict) (model, user string) {
	if v.Protected {
		return "refused: " + v.Warning + ". Changing it always needs the user's approval, and there is no user to ask in this run. Leave it unchanged, and tell the user what you would change in it",
			v.Warning + "; only an interactive session can approve it"
	}
	modes := "--mode all"
	if c.call.Effect == tools.Write && len(c.call.Warnings) == 0 {
		modes = "--mode edits or --mode all"
	}
	return "refused: it needs the user's approval (" + v.Rule + "), and there is no user to ask in this run. Do without it, or tell the user that " + modes + " allows it",
		v.Rule + "; allow it with " + modes
}

// rejection is what the model reads when the user rejects a call.
func rejection(note string) string {
	if note == "" {
		return "refused by the person. It was not run. Do not try the same again: do without it, or ask what they want instead"
	}
	return "refused by the person, who says: " + note
}

func targets(ts []tools.Target) []event.Target {
	var out []event.Target
	for _, t := range ts {
		out = append(out, event.Target{Kind: string(t.Kind), Value: t.Value, Dir: t.Dir})
	}
	return out
}
