package policy

import (
	"path/filepath"
	"slices"

	"agent/internal/loop/event"
	"agent/internal/loop/policy/command"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
	"agent/internal/realpath"
	"agent/internal/tools"
)

// ruleMatch holds the rules that decide a call before the mode does. Both may be nil.
type ruleMatch struct {
	deny, ask *rule.Rule
}

// match returns the first rule that denies c, and the first that asks. A deny rule asks
// if the text of the command does not show whether it applies.
func (p *Policy) match(c tools.Call, f Facts) (out ruleMatch) {
	for i := range p.Rules {
		r := &p.Rules[i]
		if r.Action == rule.Allow {
			continue
		}
		switch found := matches(*r, c, f); {
		case found == rule.Certain && r.Action == rule.Deny:
			out.deny = r
			return out
		case found != rule.No && (out.ask == nil || out.ask.Action == rule.Ask && r.Action == rule.Deny):
			out.ask = r
		}
	}
	return out
}

// matches returns whether a rule that denies or asks applies to c.
func matches(r rule.Rule, c tools.Call, f Facts) rule.Match {
	yes := false
	switch r.Kind {
	case rule.Tool, rule.MCP:
		yes = r.MatchesCall(c)
	case rule.Host:
		yes = slices.ContainsFunc(c.Targets, func(t tools.Target) bool { return t.Kind == tools.Host && r.MatchesHost(t.Value) })
	case rule.Read, rule.Edit:
		return matchesFiles(r, c, f)
	case rule.Command, rule.Network:
		switch {
		case f.Command != nil:
			return r.MatchesLine(f.Command)
		case c.Effect == tools.Execute && r.Kind == rule.Command && !callsMCP(c): // input of a job
			return rule.Maybe
		}
	}
	if yes {
		return rule.Certain
	}
	return rule.No
}

// matchesFiles returns whether a rule for files applies to c. The answer is Maybe if a
// command names a file that it may change, reads all files of a directory, names too many, or prints files of
// a repository that its text does not name.
func matchesFiles(r rule.Rule, c tools.Call, f Facts) rule.Match {
	found := rule.No
	if f.unsearched && !f.Command.Automatic() || r.Kind == rule.Read && r.MatchesBelow(f.contents, f.at) {
		found = rule.Maybe
	}
	if r.Kind == rule.Edit && slices.ContainsFunc(f.missing, func(path string) bool { return r.MatchesFile(realpath.Steps(path), f.at) }) {
		found = rule.Maybe
	}
	for _, t := range f.touched {
		named := !t.read && !t.change
		switch {
		case r.Kind == rule.Read && t.change, r.Kind == rule.Edit && t.read:
		case r.MatchesFile(t.names, f.at):
			if !named || r.Kind == rule.Read {
				return rule.Certain
			}
			found = rule.Maybe
		case r.Kind == rule.Read && t.directory && !t.listed && c.Effect == tools.Execute && !named && r.MatchesBelow(t.names, f.at):
			found = rule.Maybe
		}
	}
	return found
}

// allows returns the rule that allows a call other than a command; nil if none does. If
// several rules together do, it is the last of them.
func (p *Policy) allows(c tools.Call, f Facts) (by *rule.Rule) {
	for i := range p.Rules {
		if r := &p.Rules[i]; r.Action == rule.Allow && (r.Kind == rule.Tool || r.Kind == rule.MCP) && r.MatchesCall(c) {
			return r
		}
	}
	for _, t := range c.Targets {
		if t.Kind != tools.Host {
			continue
		}
		i := slices.IndexFunc(p.Rules, func(r rule.Rule) bool { return r.Action == rule.Allow && r.Kind == rule.Host && r.MatchesHost(t.Value) })
		if i < 0 {
			return nil
		}
		by = &p.Rules[i]
	}
	for _, t := range f.touched {
		if by = p.allowsFile(rule.Edit, t, f); by == nil {
			return nil
		}
	}
	return by
}

// allowsFile returns the rule that allows reading or changing a file; nil if none does. A
// file that may hold secrets must be named without wildcards.
func (p *Policy) allowsFile(kind rule.Kind, t touched, f Facts) *rule.Rule {
	for i := range p.Rules {
		r := &p.Rules[i]
		if r.Action != rule.Allow || r.Kind != kind || t.secret && SecretFile(t.real()) && !r.NamesFile() {
			continue
		}
		if filepath.IsAbs(t.real()) && r.MatchesFile(t.names, f.at) {
			return r
		}
	}
	return nil
}

// partRule returns the rule that allows a part of a command, and whether it allows the
// network; nil if none does. A rule for commands without the network does not allow a
// part that connects.
func (p *Policy) partRule(part *command.Part, f Facts) (by *rule.Rule, network bool) {
	for i := range p.Rules {
		r := &p.Rules[i]
		if r.Action != rule.Allow || r.Kind != rule.Command && r.Kind != rule.Network || r.Kind == rule.Command && part.Traits&command.Connects != 0 {
			continue
		}
		if r.AllowsPart(part, f.Dir, r.NamesInPlace(part, p.Rules) && f.uncontained() == "") && (by == nil || r.Kind == rule.Network) {
			by, network = r, r.Kind == rule.Network
		}
	}
	return by, network
}

// allowsEdits returns what allows a part that only writes files of the workspace, as it would
// allow a tool that edits them, and whether it is a rule; empty if nothing does.
func (p *Policy) allowsEdits(part *command.Part, f Facts) (by string, byRule bool) {
	if !part.Edits || part.Traits&^command.Destroys != 0 || part.Traits&command.Destroys != 0 && !f.changes.recorded || f.unreadable(part) {
		return "", false
	}
	for _, path := range part.Writes {
		i := slices.IndexFunc(f.touched, func(t touched) bool { return t.change && t.path == path })
		if i < 0 || slices.Contains(f.changes.unsaved, path) || !f.paths.borders().inside(f.touched[i].real()) {
			return "", false
		}
		rel, err := filepath.Rel(f.Root, f.touched[i].real())
		if err != nil {
			return "", false
		}
		target := tools.Target{Kind: tools.Path, Value: filepath.ToSlash(rel)}
		grant := p.Find(func(g standing.Grant) bool { return g.Includes(target, f.Root) })
		switch r := p.allowsFile(rule.Edit, f.touched[i], f); {
		case p.Mode == event.ModeAuto, p.Mode == event.ModeAll:
			by = p.row("file changes in the workspace need no approval")
		case r != nil:
			by, byRule = r.Decider(), true
		case grant != nil:
			by = f.decider(*grant)
		default:
			return "", false
		}
	}
	return by, byRule
}

// uneditable returns the existing paths in the workspace that rules for editing name, or whose
// content they name by DIR/**. A command that nobody approved must not change them, although its
// text need not show that it does.
func (p *Policy) uneditable(f Facts) (paths []string) {
	for _, r := range p.Rules {
		if r.Kind != rule.Edit || r.Action == rule.Allow {
			continue
		}
		for _, path := range r.Named(f.at) {
			if f.paths.borders().inside(f.paths.Resolved.Of(path)) && exists(path) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// roots returns the roots of p.
func (p Paths) roots() (out rule.Roots) {
	for _, dir := range []string{p.Workspace, p.Resolved.Of(p.Workspace)} {
		if dir != "" && !slices.Contains(out.Workspace, dir) {
			out.Workspace = append(out.Workspace, dir)
		}
	}
	for _, dir := range []string{p.Home, p.Resolved.Of(p.Home)} {
		if dir != "" && !slices.Contains(out.Home, dir) {
			out.Home = append(out.Home, dir)
		}
	}
	return out
}
