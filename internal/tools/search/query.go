package search

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"

	"agent/internal/tools/search/dfa"
)

// Query is a pattern, ready to be looked for. It is safe for concurrent use.
type Query struct {
	pattern  *dfa.Pattern
	anchored bool // the ends of a line matter
	spans    bool // a match may be on several lines
}

// Syntax says how a pattern is meant.
type Syntax struct {
	IgnoreCase bool
	// Multiline lets a match span lines. What names a newline then matches one,
	// also one after a carriage return: \n, \s, [^x]; a dot only after (?s).
	Multiline bool
}

// maxPattern is the longest pattern accepted, in bytes.
const maxPattern = 4096

// Compile makes a query of a regular expression in RE2 syntax. ^ and $, and so
// \A and \z, are the ends of a line. Unless matches may span lines, nothing
// matches a newline.
func Compile(pattern string, s Syntax) (*Query, error) {
	if pattern == "" {
		return nil, errors.New("the pattern is empty: give a regular expression to look for")
	}
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("the pattern is %d bytes long, more than %d: give a shorter one", len(pattern), maxPattern)
	}
	flags := syntax.Perl &^ syntax.OneLine
	if s.IgnoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, explain(pattern, err)
	}
	if !s.Multiline && holdsNewline(tree) {
		return nil, errors.New("the pattern holds a newline, but search looks at one line at a time: set multiline, " +
			"or search for a part that is on one line and use context to see those around it")
	}
	tree = byLine(tree, s.Multiline)
	p, err := dfa.Compile(tree, s.Multiline)
	if err != nil {
		return nil, explain(pattern, err)
	}
	return &Query{pattern: p, anchored: anchored(tree), spans: s.Multiline}, nil
}

// holdsNewline reports whether a pattern has a newline in so many words.
func holdsNewline(re *syntax.Regexp) bool {
	return re.Op == syntax.OpLiteral && slices.Contains(re.Rune, '\n') || slices.ContainsFunc(re.Sub, holdsNewline)
}

// byLine gives a pattern the meaning that it has here. Unless it spans lines, no
// match crosses the end of one, which lets it run over many lines at once. A
// carriage return before a newline counts as part of it.
func byLine(re *syntax.Regexp, spans bool) *syntax.Regexp {
	switch re.Op {
	case syntax.OpLiteral:
		return newlines(re)
	case syntax.OpAnyChar:
		if !spans {
			re.Op = syntax.OpAnyCharNotNL
		}
	case syntax.OpCharClass:
		if !spans {
			re.Rune = without(re.Rune, '\n')
		}
		if len(re.Rune) == 0 {
			re.Op = syntax.OpNoMatch
		}
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndLine, syntax.OpEndText:
		return &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{maybeReturn(), {Op: syntax.OpEndLine}}}
	}
	for i, sub := range re.Sub {
		re.Sub[i] = byLine(sub, spans)
	}
	return re
}

// newlines puts an optional carriage return before each newline of a literal.
func newlines(re *syntax.Regexp) *syntax.Regexp {
	if !slices.Contains(re.Rune, '\n') {
		return re
	}
	row := &syntax.Regexp{Op: syntax.OpConcat}
	for _, r := range re.Rune {
		if r == '\n' {
			row.Sub = append(row.Sub, maybeReturn())
		}
		row.Sub = append(row.Sub, &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags, Rune: []rune{r}})
	}
	return row
}

func maybeReturn() *syntax.Regexp {
	cr := &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{'\r'}}
	return &syntax.Regexp{Op: syntax.OpQuest, Sub: []*syntax.Regexp{cr}}
}

// anchored reports whether a pattern asks for the beginning or end of a line.
func anchored(re *syntax.Regexp) bool {
	return re.Op == syntax.OpBeginLine || re.Op == syntax.OpEndLine || slices.ContainsFunc(re.Sub, anchored)
}

// without takes one character out of a class, a list of pairs of bounds.
func without(class []rune, c rune) []rune {
	var out []rune
	for i := 0; i < len(class); i += 2 {
		lo, hi := class[i], class[i+1]
		if c < lo || c > hi {
			out = append(out, lo, hi)
			continue
		}
		if lo < c {
			out = append(out, lo, c-1)
		}
		if c < hi {
			out = append(out, c+1, hi)
		}
	}
	return out
}
