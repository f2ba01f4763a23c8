package policy

import (
	"slices"

	"agent/internal/loop/event"
	"agent/internal/loop/policy/command"
	"agent/internal/loop/policy/rule"
	"agent/internal/tools"
)

// JudgeRerun judges running the command of c a second time with access, after its sandbox
// made it fail. Paths.Look must have returned f just before. The command runs again only
// with approval, or if rules and standing permissions allow it the network that it lacked;
// permission mode plan and deny rules do not allow it at all.
func (p *Policy) JudgeRerun(c tools.Call, f Facts, access tools.Access) Verdict {
	first := p.Judge(c, f)
	switch {
	case first.Refuse:
		return first
	case p.Mode == event.ModePlan && access.NotUndoable:
		return Verdict{Refuse: true, Why: "plan mode makes no changes that cannot be undone"}
	case p.Mode == event.ModePlan:
		return Verdict{Refuse: true, Why: "plan mode runs commands only in the sandbox, without the network"}
	}
	if r := p.deniesNetwork(f); r != nil && (access.Network || access.Outside) {
		return ruled(r)
	}
	if all := p.allowsCommand(c, f); all.complete && all.online && access.Network && !access.Outside && !access.NotUndoable && !first.Ask {
		first.Access.Network, first.Access.Permitted = true, true
		return first
	}
	why := "commands have no network unless you approve it"
	switch {
	case access.NotUndoable:
		why = "a change that cannot be undone needs approval every time"
	case access.Outside:
		why = "running a command outside the sandbox needs approval every time"
	case !access.Network:
		why = "commands that nobody approved do not see the home directory"
	}
	v := p.asks(why)
	v.Warning, v.Files, v.Access = f.warnings(), f.Files, access
	v.Script, v.Environment, v.Access.Git, v.Access.Show = first.Script, first.Environment, first.Access.Git, slices.Concat(access.Show, f.systemTemporary(true))
	if g := offerPrefixes(f, func(*command.Part) bool { return false }); permissible(c, f) && g.Prefix && g.With == nil && !access.Outside && !access.NotUndoable && !(first.Ask && first.ByRule) {
		g.Network = access.Network // which of several commands of a line needs it is not known
		v.Offer = g
	}
	return v
}

// deniesNetwork returns the rule that denies a command the network; nil if none does. It
// applies even if the text of the command does not show that it connects. A command that
// runs outside the sandbox has the network too.
func (p *Policy) deniesNetwork(f Facts) *rule.Rule {
	for i, r := range p.Rules {
		if r.Action != rule.Deny || r.Kind != rule.Network || f.Command == nil {
			continue
		}
		r.Kind = rule.Command // matches whatever the command does
		if r.MatchesLine(f.Command) == rule.Certain {
			return &p.Rules[i]
		}
	}
	return nil
}
