package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/loop/policy/command"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
	"agent/internal/realpath"
	"agent/internal/tools"
)

// requested is the access that the model asks for in a call, as far as the sandbox does not give
// it anyway.
type requested struct {
	network, outside bool
	// write are files and directories outside the workspace, without links. If a path does not
	// exist, its directory is among them.
	write []string
	names [][]string // of write, absolute: as written, after each symbolic link, and last without links
	never string     // why a path is never given, as a clause; empty if each may be
}

// requested returns what a request asks for; nil if it asks for nothing that the sandbox does not
// give.
func (p Paths) requested(r *tools.AccessRequest, in borders) *requested {
	if r == nil {
		return nil
	}
	out := &requested{network: r.Network, outside: r.Outside}
	var ps *protectedSet
	for _, path := range r.Write {
		real := p.follow(path)
		if ps == nil {
			ps = p.protectedSet()
		}
		if reason := ps.protection(real, nil); reason != "" {
			out.never = path + " is protected: " + reason
			continue
		}
		if in.inside(real) || p.freeTemporary(real) {
			continue
		}
		to := real
		for ; command.Look(to) == command.Missing && filepath.Dir(to) != to; to = filepath.Dir(to) {
		}
		switch {
		case filepath.Dir(to) == to, pseudo(to + "/"), strings.HasPrefix(to, `\\`), realpath.Inside(p.Resolved.Of(p.Home), to), realpath.Inside(p.Resolved.Of(p.Workspace), to):
			out.never = path + " is never made writable for a command: name a file or a directory below it"
		case within(p.Temp.Parents(), to), SecretFile(to):
			out.never = path + " may hold secrets"
		case ps.below(to) != "":
			out.never = path + " contains protected files: " + ps.below(to)
		case !slices.Contains(out.write, to):
			out.write, out.names = append(out.write, to), append(out.names, append(realpath.Steps(p.Temp.Real(path)), to))
		}
	}
	if !out.network && !out.outside && out.write == nil && out.never == "" {
		return nil
	}
	return out
}

// below returns why a path below a directory without links is protected; empty if none is known
// to be.
func (ps *protectedSet) below(dir string) string {
	parts := split(dir)
	for _, at := range ps.list {
		if slices.ContainsFunc(at.names, func(name []string) bool { return len(name) > len(parts) && slices.Equal(name[:len(parts)], parts) }) && at.info != nil {
			return at.reason
		}
	}
	return ""
}

// judgeRequested judges a command whose model asks for access. Its verdict without that is v.
// The request is one question before the command runs, in every mode that may run commands; a rule
// or a standing permission for the network answers it.
func (p *Policy) judgeRequested(c tools.Call, f Facts, v Verdict) Verdict {
	if f.requested == nil || v.Refuse || v.Access.Private || f.paths.Sandbox.none() || f.paths.Disposable {
		return v
	}
	r := *f.requested
	switch by := p.deniesNetwork(f); {
	case r.never != "":
		return Verdict{Refuse: true, Requested: true, Why: r.never, Rule: ruleChange, Decider: p.row(ruleChange)}
	case by != nil && (r.network || r.outside):
		return ruled(by)
	}
	if by := p.deniesWrites(r, f); by != nil {
		return ruled(by)
	}
	if all := p.allowsCommand(c, f); r.network && !v.Ask && all.complete && all.online {
		r.network, v.Access.Network, v.Access.Permitted = false, true, true
	}
	if !r.network && !r.outside && r.write == nil {
		return v
	}
	asks := p.askCommand(c, f)
	if v.Ask {
		asks = v
	}
	if !asks.ByRule && !asks.Protected {
		asks.Why, asks.Rule, asks.Decider, asks.Part = r.String(), ruleRequest, p.row(ruleRequest), ""
	}
	asks.Requested = true
	asks.Access.Network = asks.Access.Network || r.network
	asks.Access.Outside = asks.Access.Outside || r.outside
	for _, path := range r.write {
		if !slices.Contains(asks.Access.Write, path) {
			asks.Access.Write = append(slices.Clip(asks.Access.Write), path)
		}
	}
	asks.Offer = standing.Grant{}
	if r.network && !r.outside && len(asks.Access.Write) == 0 && !asks.ByRule && permissible(c, f) && p.uncovered(f) == "" {
		if g := offerPrefixes(f, func(*command.Part) bool { return false }); g.Prefix && g.With == nil {
			g.Network = true
			asks.Offer = g
		}
	}
	return asks
}

// ruleRequest is the row of the table of modes for commands with requested access.
const ruleRequest = "access that the model asks for needs approval"

// String describes the request as a clause.
func (r requested) String() string {
	var all []string
	if r.network {
		all = append(all, "for the network")
	}
	if r.outside {
		all = append(all, "to run it without the sandbox")
	}
	if r.write != nil {
		all = append(all, "to change "+strings.Join(r.write, ", "))
	}
	return "the model asks " + strings.Join(all, " and ")
}

// deniesWrites returns the rule that denies to change a requested path, or something below it; nil
// if none does.
func (p *Policy) deniesWrites(r requested, f Facts) *rule.Rule {
	for i := range p.Rules {
		by := &p.Rules[i]
		if by.Action != rule.Deny || by.Kind != rule.Edit {
			continue
		}
		if slices.ContainsFunc(r.names, func(names []string) bool {
			return by.MatchesFile(names, f.at) || by.MatchesBelow(names[len(names)-1:], f.at)
		}) {
			return by
		}
	}
	return nil
}

// withoutRequested returns the facts without requested paths, and the flag that makes these
// writable; empty if there are none.
func (f Facts) withoutRequested() (Facts, string) {
	if f.requested == nil || f.requested.write == nil || f.requested.outside || f.requested.never != "" {
		return f, ""
	}
	flags := ""
	for _, path := range f.requested.write {
		if command.Look(path) != command.Directory {
			path = filepath.Dir(path)
		}
		flags += " --add-dir '" + path + "'"
	}
	r := *f.requested
	r.write, r.names = nil, nil
	f.requested = &r
	return f, flags
}
