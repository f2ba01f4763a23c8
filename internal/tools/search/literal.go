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
		n = min(n, rarity(upper(c), false))
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
	at      int  // where its rarest byte is
	rare    byte // that byte
	upper   byte // that byte in upper case

	// From where it was looked for last, len of the block for nowhere.
	next      int // where the literal comes
	nextUpper int // where upper comes
}

func newFinder(literal string, fold bool) finder {
	at := rarest(literal, fold)
	return finder{literal: literal, fold: fold, at: at, rare: literal[at], upper: upper(literal[at])}
}

// reset prepares for another block.
func (f *finder) reset() { f.next, f.nextUpper = -1, -1 }

// find returns where the literal begins in b from from on, len(b) for nowhere.
// From one call to the next from does not go back.
func (f *finder) find(b []byte, from int) int {
	switch {
	case f.next >= from:
	case f.fold:
		f.next = f.folded(b, from)
	default:
		f.next = f.plain(b, from)
	}
	return f.next
}

func (f *finder) plain(b []byte, from int) int {
	for i := from + f.at; i < len(b); i++ {
		j := bytes.IndexByte(b[i:], f.rare)
		if j < 0 {
			break
		}
		i += j
		if k := i - f.at; b[k] == f.literal[0] && len(b)-k >= len(f.literal) && string(b[k:k+len(f.literal)]) == f.literal {
			return k
		}
	}
	return len(b)
}

func (f *finder) folded(b []byte, from int) int {
	for i := from + f.at; i < len(b); i++ {
		if f.nextUpper < i {
			f.nextUpper = len(b)
			if j := bytes.IndexByte(b[i:], f.upper); j >= 0 {
				f.nextUpper = i + j
			}
		}
		if j := bytes.IndexByte(b[i:f.nextUpper], f.rare); j >= 0 {
			i += j
		} else if i = f.nextUpper; i == len(b) {
			break
		}
		if k := i - f.at; upper(b[k]) == upper(f.literal[0]) && len(b)-k >= len(f.literal) && equalLower(b[k:k+len(f.literal)], f.literal) {
			return k
		}
	}
	return len(b)
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
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
