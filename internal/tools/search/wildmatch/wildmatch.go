// Package wildmatch matches paths against the patterns of ignore files, as git's
// wildmatch does.
//
// Match decides patterns without character classes, at a bounded cost. Translate
// writes a pattern with classes as a line for go-gitignore.
package wildmatch

import "strings"

// Match reports whether pattern matches all of s, a path or its rest after the
// literal beginning of the pattern. A star matches anything but a slash; two
// stars as a whole path element match any number of directories. Character
// classes are not supported. steps is the number of comparisons made.
//
// There is no recursion. After a mismatch the last star takes one more byte or,
// if that is a slash, the last pair of stars one more directory. Earlier stars
// need not change: a star cannot leave its path element, and an earlier position
// of a pair of stars can match everything that a later one can. So the cost is at
// most the product of the lengths.
func Match(pattern, s string) (ok bool, steps int) {
	m := matcher{pattern: pattern, s: s, star: -1, deep: -1}
	for {
		steps++
		switch m.next() {
		case accept:
			return true, steps
		case mismatch:
			if !m.retry() {
				return false, steps
			}
		}
	}
}

// matcher is the state of Match.
type matcher struct {
	pattern, s string
	p, i       int // the next byte of each

	star, starAt int // where the pattern continues after the last star, -1 without one, and where in s
	deep, deepAt int // the same of the last pair of stars
	deepAny      bool
}

// step is the result of comparing one byte.
type step int

const (
	advanced step = iota
	mismatch
	accept
)

// next compares one byte or takes one wildcard.
func (m *matcher) next() step {
	if m.p == len(m.pattern) {
		if m.i == len(m.s) {
			return accept
		}
		return mismatch
	}
	c, size := m.pattern[m.p], 1
	switch c {
	case '*':
		return m.stars()
	case '\\':
		if m.p+1 == len(m.pattern) {
			return mismatch
		}
		c, size = m.pattern[m.p+1], 2
	}
	if m.i == len(m.s) {
		return mismatch
	}
	if m.s[m.i] == c || c == '?' && size == 1 && m.s[m.i] != '/' {
		m.p += size
		m.i++
		return advanced
	}
	return mismatch
}

// stars takes one or more stars. Two or more cross directories where they are a
// whole element of the path; the literal beginning counts as one, as in git.
func (m *matcher) stars() step {
	start := m.p
	for m.p < len(m.pattern) && m.pattern[m.p] == '*' {
		m.p++
	}
	rest := m.pattern[m.p:]
	whole := m.p-start > 1 && (start == 0 || m.pattern[start-1] == '/')
	switch {
	case whole && rest == "":
		return accept
	case whole && rest[0] == '/':
		m.p++
		m.setDeep(false)
	case whole && strings.HasPrefix(rest, `\/`):
		m.setDeep(true)
	case rest == "" && strings.IndexByte(m.s[m.i:], '/') < 0:
		return accept
	case rest == "":
		m.star = -1
		return mismatch
	default:
		m.star, m.starAt = m.p, m.i
	}
	return advanced
}

func (m *matcher) setDeep(any bool) {
	m.deep, m.deepAt, m.deepAny = m.p, m.i, any
	m.star = -1
}

// retry goes back to the last wildcard that can take more. It reports whether
// there is one.
func (m *matcher) retry() bool {
	if m.star >= 0 && m.starAt < len(m.s) && m.s[m.starAt] != '/' {
		m.starAt++
		m.p, m.i = m.star, m.starAt
		return true
	}
	if m.deep < 0 || m.deepAt >= len(m.s) {
		return false
	}
	more := 1
	if !m.deepAny {
		if more += strings.IndexByte(m.s[m.deepAt:], '/'); more == 0 {
			return false
		}
	}
	m.deepAt += more
	m.p, m.i, m.star = m.deep, m.deepAt, -1
	return true
}
