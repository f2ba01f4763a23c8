package policy

import (
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// Again judges running the command of c a second time with access, after its sandbox
// made it fail. Paths.Look must have returned f just before. The command never runs
// again without approval; permission mode plan and deny rules do not allow it at all.
func (p *Policy) Again(c tools.Call, f Facts, access tools.Access) Verdict {
	first := p.Judge(c, f)
	switch {
	case first.Refuse:
		return first
	case p.Mode == event.ModePlan:
		return Verdict{Refuse: true, Why: "permission mode plan runs commands only in the sandbox, without a network"}
	}
	if r, ok := p.deniesNetwork(f); ok {
		return Verdict{Refuse: true, Why: "a rule denies it: " + r.String(), Decider: r.Source + ": " + r.String()}
	}
	v := Verdict{Ask: true, Why: whyNetwork, Rule: whyNetwork, Warning: f.Warning, Script: first.Script, Environment: first.Environment, Access: access}
	if access.Outside {
		v.Why, v.Rule = whyOutside, whyOutside
		return v
	}
	if s := scopeOf(c, f); s.Prefix {
		s.Network = true
		v.Offer = Grant{Scope: s}
		v.Offer.Files, _ = f.manifests(s.Value)
	}
	return v
}

// deniesNetwork returns the rule that denies a command the network. The rule applies
// even if the text of the command does not show that it connects. A command that runs
// outside the sandbox has the network too.
func (p *Policy) deniesNetwork(f Facts) (Rule, bool) {
	for _, r := range p.Rules {
		of := r
		of.Kind = RuleCommand // matches without regard to what the command does
		if r.Action == Deny && r.Kind == RuleNetwork && f.Command != nil && of.matchesLine(f.Command) == sureMatch {
			return r, true
		}
	}
	return Rule{}, false
}

// The rules for commands that run again.
const (
	whyNetwork = "commands have no network unless you approve it"
	whyOutside = "running a command outside the sandbox needs approval every time"
)
