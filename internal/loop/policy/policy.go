// Package policy decides whether a tool call is allowed, denied or needs the user's
// approval. It judges the declared effect and targets of the call, never what the
// model says about it. It never asks the user and never runs anything. Start reading
// at Policy.Judge.
package policy

import (
	"slices"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
	"agent/internal/tools"
)

// Verdict is the result of judging a call. The zero value allows it.
type Verdict struct {
	Ask    bool   // the call needs the user's approval
	Refuse bool   // the call is denied
	Why    string // why the call needs approval or is denied, as a clause
	Rule   string // the same without details of the call
	// Part is the first command of a line with several that needs the approval; empty if the line is
	// one command, or nobody knows which it is.
	Part string
	// Warning is what the user must know about this call before approving it; may be
	// empty. It never repeats Why.
	Warning string
	// Script replaces the line of a command that is allowed: the same words, quoted, so
	// that exactly what was judged runs. It is empty for all other calls.
	Script string
	// Environment selects the variables of the parts of the Script that need no approval:
	// of all parts if Access.Private is set, otherwise of those that read Access.Git.
	Environment func(env []string) []string
	// Access is what a command may reach once it runs.
	Access tools.Access
	// Decider is what decided: a rule with its source, a standing permission, or the row
	// of the table of modes: "mode ask: reading outside the workspace needs approval".
	Decider string
	// ByRule is set if a configured rule decided.
	ByRule bool
	// Requested is set if the approval gives the access that the model asks for, or if that is the reason
	// to refuse the call.
	Requested bool
	// Protected is set if no mode and no permission can allow the call.
	Protected bool
	// Offer is the standing permission that the user may grant with the approval. Its
	// Scope is zero if the call needs approval every time.
	Offer standing.Grant
	// Files are the files that a command names. If one of them changes before the
	// command runs, the approval is not valid: see standing.Changed.
	Files []standing.File
	// Remedies are flags. Each would allow a call that nobody can approve.
	Remedies []string
	// Auto is set if the user can choose mode auto, and it would allow the call.
	Auto bool
}

// Policy judges calls by a mode, the configured rules and the standing permissions given
// so far. It is not safe for concurrent use.
type Policy struct {
	standing.Set // permissions that the user gave so far

	Mode  event.Mode
	Rules []rule.Rule // configured by the user or an administrator
}

// Judge returns whether c is allowed, denied or needs approval. Paths.Look must have
// returned f just before; Judge itself reads no files. A file that another process
// replaces between Look and the start of the command runs without being judged.
// Judge drops a standing permission whose files have changed.
func (p *Policy) Judge(c tools.Call, f Facts) Verdict {
	found := p.match(c, f)
	if found.deny != nil {
		return ruled(found.deny)
	}
	if callsMCP(c) {
		return p.judgeMCP(c, f, found)
	}
	switch c.Effect {
	case tools.Execute:
		v := p.judgeRequested(c, f, p.judgeCommand(c, f, found))
		v.Access.SystemTemp = f.paths.systemTemp && !v.Access.HideHome && !v.Access.Private // only with approval
		if !v.Ask && !v.Access.Private {
			v.Access.ReadOnly = append(slices.Clip(v.Access.ReadOnly), p.uneditable(f)...)
		}
		if !v.Refuse && !v.Access.Private && !v.Access.Outside {
			v.Access.Show = append(v.Access.Show, f.systemTemporary(!v.Access.HideHome)...)
		}
		return v
	case tools.Write:
		return p.judgeEdit(c, f, found)
	case tools.Network:
		return p.judgeRequest(c, f, found)
	case tools.Read:
		return p.judgeRead(c, f, found)
	}
	if found.ask != nil {
		return ruled(found.ask)
	}
	return p.runs("the calls of a delegate are judged one by one")
}

// ruled returns the verdict of a rule that denies or asks.
func ruled(r *rule.Rule) Verdict {
	v := Verdict{Refuse: r.Action == rule.Deny, Ask: r.Action != rule.Deny, Decider: r.Decider(), ByRule: true}
	v.Rule = "a rule requires approval: " + r.Decider()
	if v.Refuse {
		v.Rule = "a rule denies it: " + r.Decider()
	}
	v.Why = v.Rule
	return v
}

// runs returns the verdict of a row of the table of modes that needs no approval.
func (p *Policy) runs(row string) Verdict { return Verdict{Decider: p.row(row)} }

// asks returns the verdict of a row of the table of modes that needs approval.
func (p *Policy) asks(row string) Verdict {
	return Verdict{Ask: true, Why: row, Rule: row, Decider: p.row(row)}
}

// row returns the Decider of a row of the table of modes.
func (p *Policy) row(text string) string { return "mode " + p.Mode.Name() + ": " + text }

// judgeRead judges a call that only reads.
func (p *Policy) judgeRead(c tools.Call, f Facts, found ruleMatch) Verdict {
	secret, outside := "", ""
	for _, t := range f.touched {
		switch {
		case p.allowsFile(rule.Read, t, f) != nil, f.paths.Disposable:
		case t.secret:
			secret = t.path
		case t.outside:
			outside = t.path
		}
	}
	switch grant := p.grantFor(c, f); {
	case found.ask != nil:
		return ruled(found.ask)
	case secret != "":
		v := p.asks(ruleSecret)
		v.Warning = secret + " may hold secrets"
		return v
	case outside == "", p.Mode == event.ModeAll:
		return p.runs("reading needs no approval")
	case grant != nil:
		return Verdict{Decider: f.decider(*grant)}
	}
	v := p.asks(ruleOutside)
	v.Offer = p.offer(c, f)
	return v
}

// judgeEdit judges a call that changes files.
func (p *Policy) judgeEdit(c tools.Call, f Facts, found ruleMatch) Verdict {
	outside := slices.IndexFunc(f.touched, func(t touched) bool { return t.outside })
	by, plain := p.allows(c, f), len(c.Warnings) == 0
	switch grant := p.grantFor(c, f); {
	case p.Mode == event.ModePlan:
		why := "plan mode does not allow file changes"
		return Verdict{Refuse: true, Why: why, Rule: why, Decider: p.row("file changes are denied")}
	case len(f.Protected) > 0:
		v := p.asks(ruleChange)
		v.Protected, v.Warning = true, describe(f.Protected)
		return v
	case found.ask != nil:
		return ruled(found.ask)
	case outside >= 0:
		v := p.asks("changes to files outside the workspace need approval every time")
		v.Warning = f.touched[outside].path + " is outside the workspace"
		return v
	case slices.ContainsFunc(c.Changes, func(ch tools.Change) bool { return ch.Unlinks }):
		return p.asks("changes that undo cannot restore need approval every time")
	case p.Mode == event.ModeAll, p.Mode == event.ModeAuto && plain:
		return p.runs("file changes in the workspace need no approval")
	case by != nil && plain:
		return Verdict{Decider: by.Decider(), ByRule: true}
	case grant != nil:
		return Verdict{Decider: f.decider(*grant)}
	}
	v := p.asks("changes files (permission mode: ask)")
	v.Offer = p.offer(c, f)
	return v
}

// judgeRequest judges a call that connects to hosts.
func (p *Policy) judgeRequest(c tools.Call, f Facts, found ruleMatch) Verdict {
	by := p.allows(c, f)
	switch grant := p.grantFor(c, f); {
	case found.ask != nil:
		return ruled(found.ask)
	case p.Mode == event.ModeAll:
		return p.runs("requests need no approval")
	case by != nil && len(c.Warnings) == 0:
		return Verdict{Decider: by.Decider(), ByRule: true}
	case grant != nil:
		return Verdict{Decider: f.decider(*grant)}
	}
	var hosts []string
	for _, t := range c.Targets {
		if t.Kind == tools.Host {
			hosts = append(hosts, t.Value)
		}
	}
	v := p.asks(strings.TrimSuffix("sends a request to the network: "+strings.Join(hosts, ", "), ": "))
	v.Decider, v.Offer = p.row("requests need approval"), p.offer(c, f)
	return v
}

// ruleChange is the rule of protected paths.
const ruleChange = "changes to protected paths need approval every time, in every permission mode"

// describe lists protected paths with the reason for each.
func describe(paths []Protected) string {
	var out []string
	for _, p := range paths {
		out = append(out, p.Path+" is protected: "+p.Reason)
	}
	return strings.Join(out, "; ")
}
