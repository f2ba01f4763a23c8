package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/loop/policy/command"
	"agent/internal/realpath"
	"agent/internal/tools"
)

// ruleMatch holds the rules that decide a call before the mode does. Both may be nil.
type ruleMatch struct {
	deny, ask *Rule
}

// match returns the first rule that denies c, and the first that asks. A deny rule asks
// if the text of the command does not show whether it applies.
func (p *Policy) match(c tools.Call, f Facts) (out ruleMatch) {
	for i := range p.Rules {
		r := &p.Rules[i]
		if r.Action == Allow {
			continue
		}
		switch found := r.matches(c, f); {
		case found == certainMatch && r.Action == Deny:
			out.deny = r
			return out
		case found != noMatch && (out.ask == nil || out.ask.Action == Ask && r.Action == Deny):
			out.ask = r
		}
	}
	return out
}

// matches returns whether a rule that denies or asks applies to c.
func (r Rule) matches(c tools.Call, f Facts) match {
	yes := false
	switch r.Kind {
	case RuleTool, RuleMCP:
		yes = r.matchesCall(c)
	case RuleHost:
		yes = slices.ContainsFunc(c.Targets, func(t tools.Target) bool { return t.Kind == tools.Host && r.matchesHost(t.Value) })
	case RuleRead, RuleEdit:
		return r.matchesFiles(c, f)
	case RuleCommand, RuleNetwork:
		switch {
		case f.Command != nil:
			return r.matchesLine(f.Command)
		case c.Effect == tools.Execute && r.Kind == RuleCommand && !callsMCP(c): // input of a job
			return maybeMatch
		}
	}
	if yes {
		return certainMatch
	}
	return noMatch
}

// matchesFiles returns whether a rule for files applies to c. The answer is maybeMatch if a
// command names a file that it may change, reads all files of a directory, names too many, or prints files of
// a repository that its text does not name.
func (r Rule) matchesFiles(c tools.Call, f Facts) match {
	found := noMatch
	if f.unsearched && !f.Command.Automatic() || r.Kind == RuleRead && r.below(f.contents, f.at) {
		found = maybeMatch
	}
	if r.Kind == RuleEdit && slices.ContainsFunc(f.missing, func(path string) bool { return r.matchesFile(realpath.Steps(path), f.at) }) {
		found = maybeMatch
	}
	for _, t := range f.touched {
		named := !t.read && !t.change
		switch {
		case r.Kind == RuleRead && t.change, r.Kind == RuleEdit && t.read:
		case r.matchesFile(t.names, f.at):
			if !named || r.Kind == RuleRead {
				return certainMatch
			}
			found = maybeMatch
		case r.Kind == RuleRead && t.directory && !t.listed && c.Effect == tools.Execute && !named && r.below(t.names, f.at):
			found = maybeMatch
		}
	}
	return found
}

// allows returns the rule that allows a call other than a command; nil if none does. If
// several rules together do, it is the last of them.
func (p *Policy) allows(c tools.Call, f Facts) (by *Rule) {
	for i := range p.Rules {
		if r := &p.Rules[i]; r.Action == Allow && (r.Kind == RuleTool || r.Kind == RuleMCP) && r.matchesCall(c) {
			return r
		}
	}
	for _, t := range c.Targets {
		if t.Kind != tools.Host {
			continue
		}
		i := slices.IndexFunc(p.Rules, func(r Rule) bool { return r.Action == Allow && r.Kind == RuleHost && r.matchesHost(t.Value) })
		if i < 0 {
			return nil
		}
		by = &p.Rules[i]
	}
	for _, t := range f.touched {
		if by = p.allowsFile(RuleEdit, t, f); by == nil {
			return nil
		}
	}
	return by
}

// allowsFile returns the rule that allows reading or changing a file; nil if none does. A
// file that may hold secrets must be named without wildcards.
func (p *Policy) allowsFile(kind RuleKind, t touched, f Facts) *Rule {
	for i := range p.Rules {
		r := &p.Rules[i]
		if r.Action != Allow || r.Kind != kind || t.secret && SecretFile(t.real()) && !plainWords(filepath.Base(r.Pattern)) {
			continue
		}
		if filepath.IsAbs(t.real()) && r.matchesFile(t.names, f.at) {
			return r
		}
	}
	return nil
}

// partRule returns the rule that allows a part of a command, and whether it allows the
// network; nil if none does. A rule for commands without the network does not allow a
// part that connects.
func (p *Policy) partRule(part *command.Part, f Facts) (by *Rule, network bool) {
	for i := range p.Rules {
		r := &p.Rules[i]
		if r.Action != Allow || r.Kind != RuleCommand && r.Kind != RuleNetwork || r.Kind == RuleCommand && part.Traits&command.Connects != 0 {
			continue
		}
		if r.allowsPart(part, f.Dir, r.namesInPlace(part, p.Rules) && f.uncontained() == "") && (by == nil || r.Kind == RuleNetwork) {
			by, network = r, r.Kind == RuleNetwork
		}
	}
	return by, network
}

// namesInPlace reports whether r, or r together with another allow rule, names the sed with
// which a part edits files in place: "command: sed" does, "command: xargs" only together
// with that.
func (r *Rule) namesInPlace(part *command.Part, all []Rule) bool {
	sed := part.InPlace()
	if sed == nil {
		return false
	}
	before := len(part.Argv) - len(sed)
	return len(strings.Fields(r.Pattern)) > before || allowNames(all, sed)
}

// allowNames reports whether words begin with those of an allow rule for commands.
func allowNames(all []Rule, words []string) bool {
	return slices.ContainsFunc(all, func(r Rule) bool {
		want := strings.Fields(r.Pattern)
		return r.Action == Allow && (r.Kind == RuleCommand || r.Kind == RuleNetwork) && len(want) <= len(words) && slices.Equal(words[:len(want)], want)
	})
}

// allowsEdits returns what allows a part that only writes files of the workspace, as it would
// allow a tool that edits them, and whether it is a rule; empty if nothing does.
func (p *Policy) allowsEdits(part *command.Part, f Facts) (by string, rule bool) {
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
		at := slices.IndexFunc(p.grants, func(g Grant) bool { return g.includes(target, f.Root) })
		switch r := p.allowsFile(RuleEdit, f.touched[i], f); {
		case p.Mode == event.ModeAuto, p.Mode == event.ModeAll:
			by = p.row("file changes in the workspace need no approval")
		case r != nil:
			by, rule = r.decider(), true
		case at >= 0:
			by = p.grants[at].decider(f)
		default:
			return "", false
		}
	}
	return by, rule
}
