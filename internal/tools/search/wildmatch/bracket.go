package wildmatch

import (
	"fmt"
	"strings"
)

// byteSet is a set of bytes.
type byteSet [256]bool

func (s *byteSet) add(lo, hi byte) {
	for c := int(lo); c <= int(hi); c++ {
		s[c] = true
	}
}

// write appends the set as a character class, without the slash, which no bracket
// matches.
func (s *byteSet) write(b *strings.Builder) {
	s['/'] = false
	b.WriteByte('[')
	empty := true
	for lo := 0; lo < len(s); lo++ {
		if !s[lo] {
			continue
		}
		hi := lo
		for hi+1 < len(s) && s[hi+1] {
			hi++
		}
		fmt.Fprintf(b, `\x{%x}-\x{%x}`, lo, hi)
		lo, empty = hi, false
	}
	if empty { // a character that is in no path
		b.WriteString(`\x{100}`)
	}
	b.WriteByte(']')
}

// SkipBracket returns the end of the bracket expression at index i of glob. It
// reports false for one that git considers malformed: the pattern then matches
// nothing.
func SkipBracket(glob string, i int) (next int, ok bool) {
	_, next, ok = bracket(glob, i, false)
	return next, ok
}

// bracket reads the bracket expression at i and returns the bytes it matches
// and where it ends. It reports false for one that git finds malformed, which
// then matches nothing.
func bracket(glob string, i int, fold bool) (set *byteSet, next int, ok bool) {
	set = new(byteSet)
	at := func(i int) byte { // 0 marks the end, as in git
		if i < len(glob) {
			return glob[i]
		}
		return 0
	}
	i++
	negated := at(i) == '!' || at(i) == '^'
	if negated {
		i++
	}
	for prev, first := byte(0), true; first || at(i) != ']'; first = false {
		c := at(i)
		switch {
		case c == 0:
			return nil, 0, false
		case c == '\\':
			if i++; at(i) == 0 {
				return nil, 0, false
			}
			c = at(i)
			set.add(c, c)
			prev = c
		case c == '-' && prev != 0 && at(i+1) != 0 && at(i+1) != ']':
			if i++; at(i) == '\\' {
				i++
			}
			if at(i) == 0 {
				return nil, 0, false
			}
			set.add(prev, at(i))
			prev = 0
		case c == '[' && at(i+1) == ':':
			n, ok := set.named(glob[i:], fold)
			if !ok {
				return nil, 0, false
			}
			i += n - 1
			prev = 0
			if n == 1 {
				prev = c
			}
		default:
			set.add(c, c)
			prev = c
		}
		i++
	}
	if negated {
		for c := range set {
			set[c] = !set[c]
		}
	}
	return set, i + 1, true
}

// named adds the class at the beginning of glob, such as [:alpha:], and returns its
// length: 1 if it is only a bracket. It reports whether git accepts the class.
func (s *byteSet) named(glob string, fold bool) (n int, ok bool) {
	end := strings.IndexByte(glob[2:], ']')
	if end < 0 {
		return 0, false
	}
	name, closed := strings.CutSuffix(glob[2:2+end], ":")
	if !closed {
		s.add('[', '[')
		return 1, true
	}
	return 2 + end + 1, s.class(name, fold)
}

// class adds a named class of ASCII characters and reports whether there is one.
func (s *byteSet) class(name string, fold bool) bool {
	switch name {
	case "alnum":
		s.ranges("09", "AZ", "az")
	case "alpha":
		s.ranges("AZ", "az")
	case "blank":
		s.ranges("  ", "\t\t")
	case "cntrl":
		s.ranges("\x00\x1f", "\x7f\x7f")
	case "digit":
		s.ranges("09")
	case "graph":
		s.ranges("!~")
	case "lower":
		s.ranges("az")
	case "print":
		s.ranges(" ~")
	case "punct":
		s.ranges("!/", ":@", "[`", "{~")
	case "space":
		s.ranges("\t\n", "\r\r", "  ")
	case "upper":
		s.ranges("AZ")
		if fold {
			s.ranges("az")
		}
	case "xdigit":
		s.ranges("09", "AF", "af")
	default:
		return false
	}
	return true
}

func (s *byteSet) ranges(pairs ...string) {
	for _, p := range pairs {
		s.add(p[0], p[1])
	}
}
