package policy

import (
	"slices"
	"strings"

	"agent/internal/loop/policy/command"
	"agent/internal/loop/policy/standing"
	"agent/internal/tools"
)

// Describe is Grant.String with the user's home directory written as ~.
func (p Paths) Describe(g standing.Grant) string { return g.Describe(p.Resolved.Of(p.Home)) }

// decider returns a standing permission as the Decider of a Verdict.
func (f Facts) decider(g standing.Grant) string { return "standing permission: " + f.paths.Describe(g) }

// grantFor returns a standing permission that covers c, which is not a command; nil if
// none covers all of it.
func (p *Policy) grantFor(c tools.Call, f Facts) (by *standing.Grant) {
	if c.Effect == tools.Execute || !permissible(c, f) {
		return nil
	}
	for i, t := range c.Targets {
		by = p.Find(func(g standing.Grant) bool {
			if c.Effect == tools.Read {
				return g.Read && t.Kind == tools.Path && i < len(f.touched) && (!f.touched[i].outside || strings.HasPrefix(f.touched[i].real(), g.Value))
			}
			return effects[t.Kind] == c.Effect && g.Includes(t, f.Dir)
		})
		if by == nil {
			return nil
		}
	}
	return by
}

// effects maps the kind of a standing permission to the effect that it allows.
var effects = map[tools.TargetKind]tools.Effect{
	tools.Path: tools.Write, tools.Command: tools.Execute, tools.Host: tools.Network,
}

// permissible reports whether standing permissions can apply to c.
func permissible(c tools.Call, f Facts) bool {
	removes := slices.ContainsFunc(c.Changes, func(ch tools.Change) bool { return ch.After == nil && ch.Before != nil })
	return len(c.Warnings) == 0 && len(f.Protected) == 0 && !removes
}

// commandGrant returns the standing permission for exactly the command of c; nil if there is
// none. Only older versions granted such permissions.
func (p *Policy) commandGrant(c tools.Call, f Facts) *standing.Grant {
	const never = command.Destroys | command.WritesOutside | command.Connects
	if f.Unbound || f.Command.Traits&never != 0 || !permissible(c, f) {
		return nil
	}
	return p.Find(func(g standing.Grant) bool { return g.Includes(c.Targets[0], f.Dir) })
}

// end drops the standing permissions for the command t if a file of theirs has changed,
// and returns the change as a clause.
func (p *Policy) end(t tools.Target, f Facts) (why string) {
	if f.Unbound { // nothing can be compared, and nothing is covered
		return ""
	}
	for _, g := range p.Grants() {
		words := strings.Fields(g.Value)
		runs := g.Prefix && g.Dir == f.Root && slices.ContainsFunc(f.Command.Parts, func(p command.Part) bool { return p.Covered(words) })
		if !runs && (g.Kind != tools.Command || !g.Includes(t, f.Dir)) {
			continue
		}
		if change := g.Ended(f.Named); change != "" {
			why = change + " since you allowed this command"
			p.Forget(g.Scope)
		}
	}
	return why
}
