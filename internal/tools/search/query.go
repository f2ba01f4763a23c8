package search

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/tools/advice"
	"agent/internal/tools/search/dfa"
)

// Query is a compiled pattern. It is safe for concurrent use.
type Query struct {
	pattern   *dfa.Pattern
	anchored  bool // the pattern has line anchors
	multiline bool // matches may span lines
	wide      bool // the pattern has characters outside ASCII
}

// Syntax holds the options of a pattern.
type Syntax struct {
	IgnoreCase bool
	// Multiline lets matches span lines. \n, \s and [^x] then match a newline, with
	// an optional carriage return before it; a dot does only after (?s).
	Multiline bool
}

// maxPattern is the longest pattern accepted, in bytes.
const maxPattern = 4096

// Compile compiles a regular expression in RE2 syntax. ^ and $, and also \A and
// \z, match at line ends. Without Multiline, nothing matches a newline.
func Compile(pattern string, s Syntax) (*Query, error) {
	if pattern == "" {
		return nil, errors.New("the pattern is empty; give a regular expression")
	}
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("the pattern is %d bytes long, more than the limit of %d; use a shorter one", len(pattern), maxPattern)
	}
	flags := syntax.Perl &^ syntax.OneLine
	if s.IgnoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, patternError(pattern, err)
	}
	if !s.Multiline && holdsNewline(tree) {
		return nil, advice.Add(errors.New("the pattern contains a newline, but search matches single lines"),
			"Set multiline, or search for a part on one line and set context")
	}
	tree = byLine(tree, s.Multiline)
	p, err := dfa.Compile(tree, s.Multiline)
	if err != nil {
		return nil, patternError(pattern, err)
	}
	wide := strings.ContainsFunc(pattern, func(r rune) bool { return r >= utf8.RuneSelf })
	return &Query{pattern: p, anchored: anchored(tree), multiline: s.Multiline, wide: wide}, nil
}

// holdsNewline reports whether a pattern contains a literal newline.
func holdsNewline(re *syntax.Regexp) bool {
	return re.Op == syntax.OpLiteral && slices.Contains(re.Rune, '\n') || slices.ContainsFunc(re.Sub, holdsNewline)
}

// byLine rewrites a pattern so that line anchors match at every line and, unless
// spans is set, no match crosses a line end. This allows a search over many lines
// at once. A carriage return before a newline belongs to it.
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

// newlines adds an optional carriage return before each newline of a literal.
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

// anchored reports whether a pattern has a line anchor.
func anchored(re *syntax.Regexp) bool {
	return re.Op == syntax.OpBeginLine || re.Op == syntax.OpEndLine || slices.ContainsFunc(re.Sub, anchored)
}

// without removes one character from a class, which is a list of ranges.
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
