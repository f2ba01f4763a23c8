package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/loop/policy/command"
	"agent/internal/loop/policy/standing"
	"agent/internal/tools"
)

// maxOffered limits the prefixes that are offered with one approval.
const maxOffered = 3

// offer returns the standing permission that is offered for c: commands with the same
// first words, all edits in the session, a directory to read, or a host. Its Scope is
// zero for a call that needs approval every time.
func (p *Policy) offer(c tools.Call, f Facts) standing.Grant {
	switch {
	case !permissible(c, f):
		return standing.Grant{}
	case c.Effect != tools.Execute:
		return standing.Grant{Scope: scopeOf(c, f)}
	case p.uncovered(f) != "":
		return standing.Grant{}
	}
	return offerPrefixes(f, func(part *command.Part) bool {
		return p.allowsPart(part, f).by != ""
	})
}

// scopeOf returns the scope of the offer for c, which is not a command.
func scopeOf(c tools.Call, f Facts) standing.Scope {
	if len(c.Targets) == 0 || slices.ContainsFunc(c.Targets, func(t tools.Target) bool { return t.Kind != c.Targets[0].Kind }) {
		return standing.Scope{}
	}
	t := c.Targets[0]
	switch {
	case t.Kind == tools.Path && c.Effect == tools.Write && f.Dir != "":
		return standing.Scope{Kind: tools.Path, Value: standing.AllEdits, Dir: f.Dir}
	case t.Kind == tools.Host && c.Effect == tools.Network && len(c.Targets) == 1:
		return standing.Scope{Kind: tools.Host, Value: t.Value}
	case t.Kind == tools.Path && c.Effect == tools.Read && len(f.touched) == 1:
		return f.directory(f.touched[0])
	}
	return standing.Scope{}
}

// directory returns the scope for reading the directory of a file outside the
// workspace. There is none for a directory that contains the workspace or the home
// directory.
func (f Facts) directory(t touched) standing.Scope {
	dir := t.real()
	if !t.directory {
		dir = filepath.Dir(dir)
	}
	if within([]string{dir}, f.Root) || within([]string{dir}, f.paths.Resolved.Of(f.paths.Home)) {
		return standing.Scope{}
	}
	return standing.Scope{Kind: tools.Path, Value: dir + string(filepath.Separator), Read: true}
}

// offerPrefixes returns the standing permission for the first words of the commands of a
// line, such as "go test", with further arguments. Parts for which covered returns
// true need none. It is zero if a part needs approval every time, or if the line would
// need more than maxOffered prefixes.
func offerPrefixes(f Facts, covered func(*command.Part) bool) (offer standing.Grant) {
	if f.Command == nil || f.paths.Shell.NoBash || !f.inRoot() {
		return standing.Grant{}
	}
	if _, ok := f.Command.Script(tools.GitFunction); !ok {
		return standing.Grant{}
	}
	all := f.Command.Prefixes(covered)
	if len(all) > maxOffered {
		return standing.Grant{}
	}
	for i, words := range all {
		g := standing.Grant{Scope: standing.Scope{Kind: tools.Command, Value: strings.Join(words, " "), Dir: f.Root, Prefix: true}}
		g.Network = slices.ContainsFunc(f.Command.Parts, func(p command.Part) bool { return p.Traits&command.Connects != 0 && p.Covered(words) })
		files, bound := f.Manifests(g.Value)
		if bound && f.Unbound {
			return standing.Grant{}
		}
		g.Files = files
		if i == 0 {
			offer = g
		} else {
			offer.With = append(offer.With, g)
		}
	}
	return offer
}
