package search

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// explain says what is wrong with a pattern and how to write it instead.
func explain(pattern string, err error) error {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err
	}
	what := e.Code.String()
	if e.Expr != "" && e.Expr != pattern {
		what += ": " + e.Expr
	}
	return fmt.Errorf("the pattern %s is no valid regular expression (%s). %s", pattern, what, advice(pattern, e))
}

// advice is what to do about an error in a pattern.
func advice(pattern string, e *syntax.Error) string {
	switch {
	case lookaround(pattern):
		return "The syntax is RE2's, which has no lookaround: search for what is there without the (?=...), (?!...), (?<=...) or (?<!...), and sort out the results; for words as a whole use \\b"
	case strings.Contains(pattern, "(?>"):
		return "The syntax is RE2's, which has no atomic groups, nor any need of them: use (?:...)"
	case e.Code == syntax.ErrInvalidEscape && len(e.Expr) == 2 && '1' <= e.Expr[1] && e.Expr[1] <= '9':
		return "The syntax is RE2's, which has no backreferences: write out what is repeated, or search for the first half and sort out the results"
	case e.Code == syntax.ErrInvalidEscape:
		return `There is no such escape; use \\ for a backslash, and classes such as \w \d \s \pL`
	case e.Code == syntax.ErrMissingRepeatArgument && strings.HasPrefix(pattern, "*"):
		return "This is a regular expression, not a file pattern: .* stands for any text; put names of files in glob"
	case e.Code == syntax.ErrInvalidRepeatOp:
		return "The syntax is RE2's, which has no possessive repetition, nor any need of it: use a single * + or ?"
	case e.Code == syntax.ErrInvalidRepeatSize || e.Code == syntax.ErrLarge:
		return "Nothing can be repeated more than 1000 times: use * or +, or a smaller number"
	case e.Code == syntax.ErrInvalidUTF8:
		return "Write it in UTF-8"
	}
	return "Put a backslash before ( ) [ ] { } . * + ? ^ $ | to find the character itself"
}

// lookaround reports whether a pattern looks ahead or back.
func lookaround(pattern string) bool {
	for _, s := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(pattern, s) {
			return true
		}
	}
	return false
}
