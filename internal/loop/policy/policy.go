// Package policy decides whether a tool call is allowed, denied or needs the user's
// approval. It judges the declared effect and targets of the call, never what the
// model says about it. It never asks the user and never runs anything. Start reading
// at Policy.Judge.
package policy

import (
	"slices"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tools"
)

// Verdict is the result of judging a call. The zero value allows it.
type Verdict struct {
	Ask    bool   // the call needs the user's approval
	Refuse bool   // the call is denied
	Why    string // the rule, and why the call cannot be always allowed
	Rule   string // only the rule
	// Warning is what the user must know about this call before approving it; may be
	// empty. It never repeats Why.
	Warning string
	// Script replaces the line of a command that is allowed: the same words, quoted, so
	// that exactly what was judged runs. It is empty for all other calls.
	Script string
	// Environment selects the variables with which the Script runs. Nil for all.
	Environment func(env []string) []string
	// Access is what a command may reach once it runs.
	Access tools.Access
	// Decider is what decided: a rule with its source, or the row of the table of modes.
	Decider string
	// Protected is set if no mode and no standing permission can allow the call.
	Protected bool
	// Offer is the standing permission that the user may grant with the approval. Its
	// Scope is zero if the call needs approval every time.
	Offer Grant
}

// Policy judges calls by a mode and the standing permissions given so far. It is
// not safe for concurrent use.
type Policy struct {
	Mode   event.Mode
	Rules  []Rule // configured by the user or an administrator
	grants []Grant
}

// Allow adds a standing permission. It replaces one of the same scope.
func (p *Policy) Allow(g Grant) {
	if g.Scope == (Scope{}) {
		return
	}
	p.grants = append(slices.DeleteFunc(p.grants, func(old Grant) bool { return old.Scope == g.Scope }), g)
}

// Forget removes the standing permission of a scope. It reports whether there was one.
func (p *Policy) Forget(s Scope) bool {
	before := len(p.grants)
	p.grants = slices.DeleteFunc(p.grants, func(g Grant) bool { return g.Scope == s })
	return len(p.grants) < before
}

// Grants returns the standing permissions, oldest first. Some of them may have
// ended: see Grant.Ended.
func (p *Policy) Grants() []Grant { return slices.Clone(p.grants) }

// Uses reports whether Judge needs the facts about c.
func (p *Policy) Uses(c tools.Call) bool {
	return c.Effect == tools.Write || c.Effect == tools.Execute
}

// Judge returns whether c is allowed, denied or needs approval. Paths.Look must have
// returned f just before; Judge itself reads no files. A file that another process
// replaces between Look and the start of the command runs without being judged.
// Judge drops a standing permission whose files have changed.
func (p *Policy) Judge(c tools.Call, f Facts) Verdict {
	if script, ok := f.automatic(c); ok {
		return Verdict{Script: script, Environment: f.environment}
	}
	switch {
	case c.Effect == tools.Read, c.Effect == tools.Delegate: // each call of the delegate is judged separately
		return Verdict{}
	case c.Effect == tools.Write && p.Mode == event.ModePlan:
		return Verdict{Refuse: true, Why: "permission mode plan does not allow file changes"}
	case c.Effect == tools.Execute && p.Mode == event.ModePlan:
		return Verdict{Refuse: true, Why: denied(f)}
	case len(f.Protected) > 0:
		return Verdict{Ask: true, Protected: true, Why: ruleChange, Rule: ruleChange, Warning: describe(f.Protected)}
	case p.Mode == event.ModeAll, c.Effect == tools.Write && p.Mode == event.ModeEdits && len(c.Warnings) == 0:
		return Verdict{}
	}
	if script, ok := f.coveredBy(p.prefixes(f)); ok && len(c.Warnings) == 0 {
		return Verdict{Script: script}
	}
	covered, ended := p.covered(c, f)
	if covered {
		return Verdict{}
	}
	v := Verdict{Ask: true, Why: why(c), Rule: why(c), Warning: f.Warning}
	if ended != "" {
		v.Why, v.Warning = "the standing permission for this command ended because one of its files changed", ended
		if f.Warning != "" {
			v.Warning += "; " + f.Warning
		}
	}
	if s := scopeOf(c, f); s != (Scope{}) {
		v.Offer = Grant{Scope: s, Files: f.Files}
		if s.Prefix {
			v.Offer.Files, _ = f.manifests(s.Value)
		}
	} else if f.Rule != "" {
		v.Why += ". This one cannot be always allowed: " + f.Rule
	}
	return v
}

// denied explains why permission mode plan denies a command.
func denied(f Facts) string {
	if f.Command == nil {
		return "permission mode plan runs only commands that are known to read"
	}
	if f.Command.Automatic() { // it runs git
		return "permission mode plan runs only commands that are known to read, and the configuration of a repository can make git run programs"
	}
	return f.Command.Denied()
}

// ruleChange is the rule of protected paths.
const ruleChange = "changes of protected paths need approval every time, in every permission mode"

// describe lists protected paths with the reason for each.
func describe(paths []Protected) string {
	var out []string
	for _, p := range paths {
		out = append(out, p.Path+" is protected: "+p.Reason)
	}
	return strings.Join(out, "; ")
}

func why(c tools.Call) string {
	switch c.Effect {
	case tools.Write:
		return "changes files (permission mode: ask)"
	case tools.Execute:
		return "commands run with your full user permissions"
	}
	var hosts []string
	for _, t := range c.Targets {
		if t.Kind == tools.Host {
			hosts = append(hosts, t.Value)
		}
	}
	return strings.TrimSuffix("sends a request to the network: "+strings.Join(hosts, ", "), ": ")
}

// prefixes returns the standing permissions that apply to commands by their first
// words, in the directory of f.
func (p *Policy) prefixes(f Facts) (all [][]string) {
	for _, g := range p.grants {
		if g.Prefix && g.Dir == f.Root && g.Ended(f) == "" {
			all = append(all, strings.Fields(g.Value))
		}
	}
	return all
}

// covered reports whether standing permissions cover every target of c. If one has
// ended, it returns why.
func (p *Policy) covered(c tools.Call, f Facts) (ok bool, ended string) {
	if c.Effect == tools.Execute && len(c.Targets) == 1 {
		ended = p.end(c.Targets[0], f)
	}
	if !f.standing(c) {
		return false, ended
	}
	for _, t := range c.Targets {
		if effects[t.Kind] != c.Effect || !slices.ContainsFunc(p.grants, func(g Grant) bool { return g.covers(t, f.Dir) }) {
			return false, ended
		}
	}
	return len(c.Targets) > 0, ended
}

// end drops the standing permission for the command t if one of its files has
// changed, and returns which, as a clause.
func (p *Policy) end(t tools.Target, f Facts) (why string) {
	p.grants = slices.DeleteFunc(p.grants, func(g Grant) bool {
		if !g.covers(t, f.Dir) && !(g.Prefix && g.Dir == f.Root && f.runs(strings.Fields(g.Value))) {
			return false
		}
		change := g.Ended(f)
		if change != "" {
			why = change + " since you allowed this command"
		}
		return change != ""
	})
	return why
}
