package search

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Query is a pattern, ready to be looked for. It is safe for concurrent use.
type Query struct {
	re       *regexp.Regexp
	literals [][]byte // every match holds one of them; none if that is not known
	exact    bool     // the pattern is its one literal
	fold     bool     // the literals are in lower case, and so must be what they are looked for in
	anchored bool     // the ends of a line matter
}

// maxPattern is the longest pattern accepted, in bytes.
const maxPattern = 4096

// Compile makes a query of a regular expression in RE2 syntax. It is matched
// line by line: ^ and $ are the ends of a line, and nothing matches a newline.
func Compile(pattern string, ignoreCase bool) (*Query, error) {
	if pattern == "" {
		return nil, errors.New("the pattern is empty: give a regular expression to look for")
	}
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("the pattern is %d bytes long, more than %d: give a shorter one", len(pattern), maxPattern)
	}
	flags := syntax.Perl &^ syntax.OneLine
	if ignoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, explain(pattern, err)
	}
	if tree, err = byLine(tree); err != nil {
		return nil, err
	}
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return nil, explain(pattern, err)
	}
	q := &Query{re: re, fold: ignoreCase, anchored: anchored(tree)}
	for _, l := range required(tree, ignoreCase) {
		q.literals = append(q.literals, []byte(l))
	}
	q.exact = tree.Op == syntax.OpLiteral && len(q.literals) == 1 && !ignoreCase
	return q, nil
}

// explain says what is wrong with a pattern and how to write it.
func explain(pattern string, err error) error {
	what := err.Error()
	var e *syntax.Error
	if errors.As(err, &e) {
		what = e.Code.String()
		if e.Expr != "" && e.Expr != pattern {
			what += ": " + e.Expr
		}
	}
	return fmt.Errorf("the pattern %s is no valid regular expression (%s). The syntax is RE2's: no lookaround, no backreferences; "+
		`put a backslash before ( ) [ ] { } . * + ? ^ $ | to find the character itself`, pattern, what)
}

// byLine changes a pattern so that no match crosses the end of a line, which
// lets it run over many lines at once. A carriage return before the end counts
// as part of it.
func byLine(re *syntax.Regexp) (*syntax.Regexp, error) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				return nil, errors.New(`the pattern holds a newline, but search looks at one line at a time: search for a part that is on one line, and use context to see those around it`)
			}
		}
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpCharClass:
		re.Rune = without(re.Rune, '\n')
		if len(re.Rune) == 0 {
			re.Op = syntax.OpNoMatch
		}
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndLine, syntax.OpEndText:
		cr := &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{'\r'}}
		maybe := &syntax.Regexp{Op: syntax.OpQuest, Sub: []*syntax.Regexp{cr}}
		end := &syntax.Regexp{Op: syntax.OpEndLine}
		return &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{maybe, end}}, nil
	}
	for i, sub := range re.Sub {
		s, err := byLine(sub)
		if err != nil {
			return nil, err
		}
		re.Sub[i] = s
	}
	return re, nil
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

// maxLiterals is how many literals are looked for side by side.
const maxLiterals = 8

// required returns literals of which every match holds at least one, or nil if
// it finds none. With fold they are in lower case.
func required(re *syntax.Regexp, fold bool) []string {
	switch re.Op {
	case syntax.OpLiteral:
		s := string(re.Rune)
		if fold {
			s = foldable(re.Rune)
		} else if re.Flags&syntax.FoldCase != 0 {
			return nil
		}
		if s == "" || !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError) {
			return nil
		}
		return []string{s}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0], fold)
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0], fold)
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if l := required(sub, fold); worth(l) > worth(best) {
				best = l
			}
		}
		return best
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

// worth is how much a set of literals narrows a search: as much as its shortest.
func worth(literals []string) int {
	n := 0
	for i, l := range literals {
		if i == 0 || len(l) < n {
			n = len(l)
		}
	}
	return n
}

// foldable returns the longest run of characters, in lower case, that no
// character beyond ASCII is the other case of.
func foldable(runes []rune) string {
	best, run := "", ""
	for _, r := range runes {
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
