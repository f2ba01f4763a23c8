package dfa

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxLiterals limits the alternatives that one pattern searches for.
const maxLiterals = 8

// required returns a set of literals such that every match of re contains one, or
// nil if there is none. With fold they are in lower case.
func required(re *syntax.Regexp, fold bool) []string {
	if all := usable(strs(re), fold); all != nil {
		return all
	}
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0], fold)
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0], fold)
		}
	case syntax.OpConcat:
		return requiredInRow(re.Sub, fold)
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			l := required(sub, fold)
			if l == nil || len(all)+len(l) > maxLiterals {
				return nil
			}
			all = append(all, l...)
		}
		return all
	}
	return nil
}

// requiredInRow returns the best literals of a concatenation: those of one part,
// or of several neighbors that match only a few strings.
func requiredInRow(parts []*syntax.Regexp, fold bool) []string {
	var best []string
	consider := func(l []string) {
		if worth(l, fold) > worth(best, fold) {
			best = l
		}
	}
	row := []string{""}
	for _, sub := range parts {
		s := strs(sub)
		longer := cross(row, s)
		if longer == nil {
			consider(usable(row, fold))
			consider(required(sub, fold))
			longer = s
		}
		if row = longer; row == nil {
			row = []string{""}
		}
	}
	consider(usable(row, fold))
	return best
}

// strs returns all strings that re matches, or nil if there are too many.
func strs(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		var all []string
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if all = append(all, string(r)); len(all) > maxLiterals {
					return nil
				}
			}
		}
		return all
	case syntax.OpCapture:
		return strs(re.Sub[0])
	case syntax.OpConcat:
		all := []string{""}
		for _, sub := range re.Sub {
			if all = cross(all, strs(sub)); all == nil {
				return nil
			}
		}
		return all
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			s := strs(sub)
			if s == nil || len(all)+len(s) > maxLiterals {
				return nil
			}
			all = append(all, s...)
		}
		return all
	}
	return nil
}

// cross returns each of a followed by each of b, or nil if there are too many.
func cross(a, b []string) []string {
	if len(a)*len(b) > maxLiterals {
		return nil
	}
	var all []string
	for _, x := range a {
		for _, y := range b {
			all = append(all, x+y)
		}
	}
	return all
}

// usable returns the part of each string that can be searched for as bytes, or
// nil if one string has no such part.
func usable(all []string, fold bool) []string {
	var out []string
	for _, s := range all {
		if fold {
			s = foldable(s)
		}
		if s == "" || !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError) {
			return nil
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// worth estimates how much a set of literals narrows a search, by its shortest
// and most common literal.
func worth(literals []string, fold bool) int {
	least := 0
	for i, l := range literals {
		n := len(l) + rarity(l[rarest(l, fold)], fold)/8
		if i == 0 || n < least {
			least = n
		}
	}
	return least
}

// foldable returns, in lower case, the longest run of ASCII characters of s that
// no other character folds to.
func foldable(s string) string {
	best, run := "", ""
	for _, r := range s {
		if r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r) {
			run = ""
			continue
		}
		run += strings.ToLower(string(r))
		if len(run) > len(best) {
			best = run
		}
	}
	return best
}
