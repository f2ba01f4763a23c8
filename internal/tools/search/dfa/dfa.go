// Package dfa finds the lines that match a regular expression.
//
// It first searches for literals that every match contains, then runs a
// deterministic automaton over the candidates, and uses package regexp for
// patterns that are too large for an automaton. Start reading at Compile, then
// Matcher.Next.
package dfa

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
)

// Pattern is a compiled pattern. It is safe for concurrent use.
type Pattern struct {
	re       *regexp.Regexp
	program  *program // nil for a pattern that is too large
	literals []string // every match contains one of them; empty if unknown
	exact    bool     // every line with one of the literals matches
	fold     bool     // the literals match in either case
	spans    bool
}

// Compile compiles tree. With spans a match may span lines; otherwise no match
// of tree may contain a newline. The error is a *syntax.Error, or says that the
// pattern is too large.
func Compile(tree *syntax.Regexp, spans bool) (*Pattern, error) {
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return nil, err
	}
	p := &Pattern{re: re, fold: folds(tree), spans: spans}
	p.literals = required(tree, p.fold)
	p.exact = !p.fold && len(p.literals) > 0 && len(strs(tree)) > 0
	p.program, err = newProgram(tree, spans)
	return p, err
}

// folds reports whether a part of re ignores case.
func folds(re *syntax.Regexp) bool {
	return re.Flags&syntax.FoldCase != 0 || slices.ContainsFunc(re.Sub, folds)
}

// Matcher finds the matches of a pattern in one block after another. It is not
// safe for concurrent use.
type Matcher struct {
	*Pattern
	finders   []finder
	automaton *automaton
}

// Matcher returns a new matcher.
func (p *Pattern) Matcher() *Matcher {
	m := &Matcher{Pattern: p, automaton: newAutomaton(p.program)}
	for _, l := range p.literals {
		m.finders = append(m.finders, newFinder(l, p.fold))
	}
	return m
}

// Reset prepares the matcher for another block.
func (m *Matcher) Reset() {
	for i := range m.finders {
		m.finders[i].reset()
	}
}

// Next returns the bounds of the first lines of b, at or after from, that a
// match is on, and an index within the match. start is -1 without a match. from
// is the beginning of a line and never decreases within a block.
func (m *Matcher) Next(b []byte, from int) (start, at, stop int) {
	if m.spans {
		return m.span(b, from)
	}
	for from < len(b) {
		at, sure := m.candidate(b, from)
		if at < 0 {
			break
		}
		start, stop = lineAround(b, from, at)
		if sure || m.matches(b[start:stop]) {
			return start, at, stop
		}
		from = stop + 1
	}
	return -1, 0, 0
}

// span is Next for a pattern whose matches may span lines.
func (m *Matcher) span(b []byte, from int) (start, at, stop int) {
	if from >= len(b) {
		return -1, 0, 0
	}
	if at, _ = m.prefilter(b, from); at < 0 {
		return -1, 0, 0
	}
	at, end := m.index(b, from)
	if at < 0 {
		return -1, 0, 0
	}
	start, stop = lineAround(b, from, at)
	if end > stop+1 {
		_, stop = lineAround(b, stop, end-1)
	}
	return start, at, stop
}

// candidate returns an index in the first line of b, at or after from, that may
// match, or -1. sure reports that the line does match.
func (m *Matcher) candidate(b []byte, from int) (at int, sure bool) {
	if len(m.finders) > 0 || m.automaton.works() {
		return m.prefilter(b, from)
	}
	at, _ = m.index(b, from)
	return at, true
}

// prefilter is candidate by literals or the automaton. Without both it returns
// from.
func (m *Matcher) prefilter(b []byte, from int) (at int, sure bool) {
	switch {
	case len(m.finders) > 0:
		at = len(b)
		for i := range m.finders {
			at = min(at, m.finders[i].find(b, from))
		}
		if at == len(b) {
			return -1, false
		}
		return at, m.exact
	case m.automaton.works():
		if at = m.automaton.find(b[from:]); at < 0 {
			return -1, false
		}
		return from + at, true
	}
	return from, false
}

// index returns the bounds of the first match in b at or after from, or -1.
// There is no line after a final newline.
func (m *Matcher) index(b []byte, from int) (at, end int) {
	loc := m.re.FindIndex(b[from:])
	if loc == nil || from+loc[0] == len(b) && b[len(b)-1] == '\n' {
		return -1, -1
	}
	return from + loc[0], from + loc[1]
}

// matches reports whether line matches.
func (m *Matcher) matches(line []byte) bool {
	if m.automaton.works() {
		return m.automaton.find(line) >= 0
	}
	return m.re.Match(line)
}

// lineAround returns the bounds of the line that contains at, which does not
// begin before from.
func lineAround(b []byte, from, at int) (start, stop int) {
	start = from + bytes.LastIndexByte(b[from:at], '\n') + 1
	stop = len(b)
	if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
		stop = at + i
	}
	return start, stop
}
