package policy

import (
	"slices"
	"strings"

	"agent/internal/loop/policy/command"
	"agent/internal/tools"
)

// maxOffered limits the prefixes that are offered with one approval.
const maxOffered = 3

// offerPrefixes returns the standing permission for the first words of the commands of a
// line, such as "go test", with further arguments. Parts for which covered returns
// true need none. It is zero if a part needs approval every time, or if the line would
// need more than maxOffered prefixes.
func offerPrefixes(f Facts, covered func(*command.Part) bool) (offer Grant) {
	if f.Command == nil || f.paths.Shell.NoBash || !f.inRoot() {
		return Grant{}
	}
	if _, ok := f.Command.Script(tools.GitFunction); !ok {
		return Grant{}
	}
	all := f.Command.Prefixes(covered)
	if len(all) > maxOffered {
		return Grant{}
	}
	for i, words := range all {
		g := Grant{Scope: Scope{Kind: tools.Command, Value: strings.Join(words, " "), Dir: f.Root, Prefix: true}}
		g.Network = slices.ContainsFunc(f.Command.Parts, func(p command.Part) bool { return p.Traits&command.Connects != 0 && p.Covered(words) })
		files, bound := f.manifests(g.Value)
		if bound && f.Unbound {
			return Grant{}
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

// Each returns g and the permissions offered with it as separate ones.
func (g Grant) Each() []Grant {
	all := append([]Grant{g}, g.With...)
	all[0].With = nil
	return all
}

// String describes what g and the permissions offered with it cover, with full paths.
func (g Grant) String() string { return g.Describe("") }

// Describe is String with the directory home written as ~.
func (g Grant) Describe(home string) string {
	if len(g.With) == 0 {
		return g.Scope.Describe(home)
	}
	var scopes []Scope
	for _, each := range g.Each() {
		scopes = append(scopes, each.Scope)
	}
	return describePrefixes(scopes...)
}

// describePrefixes describes scopes with a Prefix as a noun phrase.
func describePrefixes(scopes ...Scope) string {
	var out []string
	words := map[string][]string{}
	for _, s := range scopes {
		with := " without arguments"
		if command.TakesArguments(strings.Fields(s.Value)) {
			with = " with common options"
		}
		if s.Network {
			with += " and the network"
		}
		if words[with] == nil {
			out = append(out, with)
		}
		words[with] = append(words[with], "`"+s.Value+"`")
	}
	for i, with := range out {
		out[i] = enumerate(words[with]) + with
	}
	return strings.Join(out, ", and ") + " in this project"
}

// enumerate joins words: "a, b and c".
func enumerate(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
