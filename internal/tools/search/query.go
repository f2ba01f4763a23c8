package search

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
)

// Query is a pattern, ready to be looked for. It is safe for concurrent use.
type Query struct {
	re       *regexp.Regexp
	program  *program // nil if the pattern is too large for one
	literals []string // every match holds one of them; none if that is not known
	exact    bool     // what holds one of them matches
	fold     bool     // the literals match in lower and upper case
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
	q := &Query{re: re, fold: folds(tree), anchored: anchored(tree)}
	q.literals = required(tree, q.fold)
	q.exact = !q.fold && len(q.literals) > 0 && len(strs(tree)) > 0
	q.program = newProgram(tree)
	return q, nil
}

// folds reports whether some of a pattern matches in lower and upper case.
func folds(re *syntax.Regexp) bool {
	return re.Flags&syntax.FoldCase != 0 || slices.ContainsFunc(re.Sub, folds)
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
