package policy

import (
	"slices"
	"strings"

	"agent/internal/loop/policy/command"
	"agent/internal/loop/policy/rule"
	"agent/internal/tools"
)

// allowance says how far rules and standing permissions allow a command.
type allowance struct {
	complete bool   // they allow all of it
	script   string // to run if they do; empty for the line itself
	network  bool   // it needs the network that they allow
	online   bool   // they also allow the network for parts that do not need it
	decider  string
	byRule   bool
	standing bool          // a standing permission allows a part
	strict   bool          // only as far as undo can restore what it destroys
	options  bool          // a rule names a part, but its input may hold options
	mixed    string        // why parts that are each allowed may not run together; empty if they may
	left     command.Trait // of the parts that they do not allow
	first    *command.Part // of those; nil if there is none, or if the line is not judged by parts
	ended    string        // the change that ended a permission, as a clause; may be empty
}

// verdict returns the verdict on a command that is covered completely. Its parts that
// only read a repository with git run without the configuration of the repository, even
// if another part changes that configuration first.
func (all allowance) verdict(f Facts) Verdict {
	v := Verdict{Script: all.script, Access: tools.Access{Network: all.network, Permitted: all.network, Strict: all.strict}, Decider: all.decider, ByRule: all.byRule, Files: f.Files}
	if all.strict {
		v.Access.Repositories, v.Access.ReadOnly = f.changes.git, f.changes.gitDirs
	}
	if all.script != "" && f.repository != nil {
		v.Environment, v.Access.Git = f.environment, f.repository
	}
	return v
}

// allowsCommand returns how far rules and standing permissions allow a command.
func (p *Policy) allowsCommand(c tools.Call, f Facts) (out allowance) {
	if f.Command == nil || len(c.Warnings) > 0 {
		return out
	}
	out.left = f.Command.Traits
	out.ended = p.end(c.Targets[0], f)
	if g := p.commandGrant(c, f); g != nil {
		return allowance{complete: true, standing: true, decider: f.decider(*g)}
	}
	script, ok := f.Command.Script(tools.GitFunction)
	if !ok || f.paths.Shell.NoBash {
		return out
	}
	out.left, out.script, out.complete, out.online = 0, script, true, true
	var deciders []string
	var offline, online []*command.Part // parts that are not known to only read
	edits, granted := false, false
	for i := range f.Command.Parts {
		part := &f.Command.Parts[i]
		if part.Reason == "" && !f.unreadable(part) && !(part.Shows.Below && f.unsearched) {
			continue
		}
		a := p.allowsPart(part, f)
		if a.by == "" {
			out.options = out.options || part.ReadsOptions() && rule.AllowNames(p.Rules, part.Argv)
			if out.first == nil {
				out.first = part
			}
			out.complete, out.left = false, out.left|part.Traits
			offline = append(offline, part)
			continue
		}
		if !slices.Contains(deciders, a.by) {
			deciders = append(deciders, a.by)
		}
		if a.network {
			out.network, online = out.network || !part.Local || part.Traits&command.Connects != 0, append(online, part)
		} else {
			offline = append(offline, part)
		}
		out.online, out.byRule, out.standing = out.online && a.network, out.byRule || a.rule, out.standing || !a.rule
		edits, granted = edits || a.edits, granted || a.granted
		out.strict = out.strict || f.changes.recorded && (part.Edits || part.InPlace() != nil)
	}
	out.complete = out.complete && len(deciders) > 0
	out.decider = strings.Join(deciders, "; ")
	switch {
	case out.network && len(offline) > 0 && !(runGit(online) && changeOnlyGit(offline)):
		out.withoutNetwork(ruleMixedNetwork, online) // all processes of the line would have it
	case out.network && f.paths.Commands.Jobs != nil && f.paths.Commands.Jobs():
		out.withoutNetwork(ruleJobs, online)
	case granted && edits:
		// The line may change the files that the standing permission depends on after Ended
		// has compared them.
		out.complete, out.mixed = false, ruleMixedEdits
	}
	return out
}

// withoutNetwork withdraws the network: the parts online, which were allowed to use it, need
// approval because of why.
func (all *allowance) withoutNetwork(why string, online []*command.Part) {
	all.complete, all.network, all.mixed = false, false, why
	for _, part := range online {
		all.left |= part.Traits | command.Connects
	}
}

// runGit reports whether all parts run git.
func runGit(parts []*command.Part) bool {
	return !slices.ContainsFunc(parts, func(part *command.Part) bool { return part.Program() != "git" })
}

// changeOnlyGit reports whether all parts run git commands that start only hooks and filters.
// A git push in the same line gives these the network anyway.
func changeOnlyGit(parts []*command.Part) bool {
	return runGit(parts) && !slices.ContainsFunc(parts, func(part *command.Part) bool {
		harmless := len(part.Argv) > 1 && slices.Contains([]string{"add", "commit", "tag", "branch", "rm", "mv"}, part.Argv[1])
		return !harmless || len(part.Assigns) > 0 || part.Traits&(command.RunsCode|command.Undetermined) != 0
	})
}

// allowedPart says what allows a part of a command.
type allowedPart struct {
	by      string // the rule or permission; empty if nothing allows the part
	network bool   // by also allows the network
	rule    bool   // by is a rule
	edits   bool   // the part only writes files that may be edited
	granted bool   // by is a standing permission for commands
}

// allowsPart returns what allows a part of a command.
func (p *Policy) allowsPart(part *command.Part, f Facts) (a allowedPart) {
	if slices.ContainsFunc(part.Writes, func(path string) bool { return slices.Contains(f.changes.shared, path) }) {
		return a
	}
	if r, network := p.partRule(part, f); r != nil {
		return allowedPart{by: r.Decider(), network: network, rule: true}
	}
	if by, rule := p.allowsEdits(part, f); by != "" {
		return allowedPart{by: by, rule: rule, edits: true}
	}
	if part.Reason == "" || !f.inRoot() {
		return a
	}
	for _, g := range p.Grants() {
		if a.network || !g.Prefix || g.Dir != f.Root || !g.Network && part.Traits&command.Connects != 0 {
			continue
		}
		if part.Covered(strings.Fields(g.Value)) && g.Ended(f.Named) == "" && !g.Unseen(f.Named) && !f.entersGit(part) { // a later one may add the network
			a = allowedPart{by: f.decider(g), network: g.Network, granted: true}
		}
	}
	return a
}
