package search

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxLiterals is how many literals are looked for side by side.
const maxLiterals = 8

// common are the bytes that source and prose are made of, from the most common
// on. What is not among them is rare.
const common = " et\trna\nisolcfdu.p,m/()0x:gh\"=b_1ySTAER{}v2CIOP\\DM34k6Lw8FNBX5V9[]-7*U;'GH<>!W+Y&zK|%jQq$Z#`J"

// rarity is the less common c is, the greater. With fold it is that of both
// cases of a letter.
func rarity(c byte, fold bool) int {
	n := strings.IndexByte(common, c)
	if n < 0 {
		n = len(common)
	}
	if fold && 'a' <= c && c <= 'z' {
		n = min(n, rarity(c-'a'+'A', false))
	}
	return n
}

// rarest returns where the rarest byte of a literal is: of several the last,
// which tells more where a character is several bytes.
func rarest(literal string, fold bool) int {
	at := 0
	for i := range len(literal) {
		if rarity(literal[i], fold) >= rarity(literal[at], fold) {
			at = i
		}
	}
	return at
}

// finder looks for one literal in a block, by its rarest byte.
type finder struct {
	literal string // in lower case where fold is set
	fold    bool
	at      int     // where its rarest byte is
	rare    [2]byte // that byte, in both cases where fold is set

	// From where it was looked for last, len of the block for nowhere.
	next int    // where the literal comes
	hits [2]int // where each of rare comes
}

func newFinder(literal string, fold bool) finder {
	f := finder{literal: literal, fold: fold, at: rarest(literal, fold)}
	c := literal[f.at]
	f.rare = [2]byte{c, c}
	if fold && 'a' <= c && c <= 'z' {
		f.rare[1] = c - 'a' + 'A'
	}
	return f
}

// reset prepares for another block.
func (f *finder) reset() { f.next, f.hits = -1, [2]int{-1, -1} }

// find returns where the literal begins in b from from on, len(b) for nowhere.
// From one call to the next from does not go back.
func (f *finder) find(b []byte, from int) int {
	if f.next < from {
		if f.fold {
			f.next = f.folded(b, from)
		} else {
			f.next = f.plain(b, from)
		}
	}
	return f.next
}

func (f *finder) plain(b []byte, from int) int {
	c, at := f.rare[0], f.at
	for i := from + at; i < len(b); i++ {
		j := bytes.IndexByte(b[i:], c)
		if j < 0 {
			break
		}
		i += j
		if k := i - at; b[k] == f.literal[0] && len(b)-k >= len(f.literal) && string(b[k:k+len(f.literal)]) == f.literal {
			return k
		}
	}
	return len(b)
}

func (f *finder) folded(b []byte, from int) int {
	for i := from + f.at; ; i++ {
		if i = f.hit(b, i); i >= len(b) {
			return len(b)
		}
		if k := i - f.at; len(b)-k >= len(f.literal) && equalLower(b[k:k+len(f.literal)], f.literal) {
			return k
		}
	}
}

// hit returns where the rarest byte is, in either case, from i on.
func (f *finder) hit(b []byte, i int) int {
	for k, c := range f.rare {
		if f.hits[k] >= i {
			continue
		}
		f.hits[k] = len(b)
		if i < len(b) {
			if j := bytes.IndexByte(b[i:], c); j >= 0 {
				f.hits[k] = i + j
			}
		}
	}
	return min(f.hits[0], f.hits[1])
}

// equalLower reports whether b is literal but for the case of ASCII letters.
func equalLower(b []byte, literal string) bool {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != literal[i] {
			return false
		}
	}
	return true
}

// required returns literals of which every match of re holds at least one, or
// nil if it finds none. With fold they are in lower case and match both.
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

// requiredInRow returns the best of what the parts require, each alone or, where
// they match a few strings only, together with their neighbours.
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

// strs returns all strings that re matches, nil if they are many.
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

// cross returns each of a followed by each of b, nil if they are many.
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

// usable returns what of the strings can be looked for as bytes, nil if of one
// nothing can.
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

// worth is how much a set of literals narrows a search: as much as the one that
// is the shortest and the least rare.
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

// foldable returns the longest run of characters of s, in lower case, that no
// character beyond ASCII is the other case of.
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
