// Package policy decides what a tool call may do unasked.
//
// It judges what the call declares (its effect and targets), never what the
// model says about it. Rules come from the person alone.
package policy

import (
	"slices"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tools"
)

// Verdict is what a policy says about a call.
type Verdict struct {
	Ask    bool   // the person is asked; false allows
	Refuse bool   // it must not run, and nobody is asked
	Why    string // the rule, and why the call cannot be always allowed
	Rule   string // the rule alone
	// Warning is the fact about this call that the user must read before answering;
	// empty if the rule says all. It never repeats Why.
	Warning string
	// Protected says that no mode and no standing permission allows the call.
	Protected bool
	// Offer is the standing permission that the user may give with the approval;
	// the zero Scope if it must be approved every time.
	Offer Grant
}

// Policy judges calls by a mode and the standing permissions given so far. It is
// not safe for concurrent use.
type Policy struct {
	Mode   event.Mode
	grants []Grant
}

// Allow adds a standing permission. It replaces one of the same scope.
func (p *Policy) Allow(g Grant) {
	if g.Scope == (Scope{}) {
		return
	}
	p.grants = append(slices.DeleteFunc(p.grants, func(old Grant) bool { return old.Scope == g.Scope }), g)
}

// Uses reports whether Judge needs the facts about c.
func (p *Policy) Uses(c tools.Call) bool {
	return c.Effect == tools.Write || c.Effect == tools.Execute && p.Mode != event.ModeAll
}

// Judge decides whether a call may run without approval. f is what Paths.Look
// returned for it just now; Judge itself looks at nothing. What happens between
// that look and the start of the program is not seen: a file that is replaced in
// these milliseconds, by something that runs already, runs as the new one. A
// standing permission whose files have changed is dropped.
func (p *Policy) Judge(c tools.Call, f Facts) Verdict {
	switch {
	case c.Effect == tools.Read:
		return Verdict{}
	case c.Effect == tools.Write && p.Mode == event.ModePlan:
		return Verdict{Refuse: true, Why: "the person wants a plan before files are changed (mode plan)"}
	case len(f.Protected) > 0:
		return Verdict{Ask: true, Protected: true, Why: ruleChange, Rule: ruleChange, Warning: describe(f.Protected)}
	case p.Mode == event.ModeAll, c.Effect == tools.Write && p.Mode == event.ModeEdits && len(c.Warnings) == 0:
		return Verdict{}
	}
	covered, ended := p.covered(c, f)
	if covered {
		return Verdict{}
	}
	v := Verdict{Ask: true, Why: why(c), Rule: why(c), Warning: f.Warning}
	if ended != "" {
		v.Why, v.Warning = "a permission for a command ends when a file that the command names changes", ended
		if f.Warning != "" {
			v.Warning += "; " + f.Warning
		}
	}
	if s := scopeOf(c, f); s != (Scope{}) {
		v.Offer = Grant{Scope: s, Files: f.Files}
	} else if f.Rule != "" {
		v.Why += ". This one cannot be always allowed: " + f.Rule
	}
	return v
}

// ruleChange is the rule of protected paths.
const ruleChange = "changes of protected paths need approval every time, in every permission mode"

// describe names the protected paths of a call, with the reason for each.
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

// covered reports whether every target of c lies in the scope of a standing
// permission. If one has just ended, it says why.
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

// end drops the standing permission for a command one of whose files has changed,
// and says which.
func (p *Policy) end(t tools.Target, f Facts) (why string) {
	p.grants = slices.DeleteFunc(p.grants, func(g Grant) bool {
		if !g.covers(t, f.Dir) {
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
