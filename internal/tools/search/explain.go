package search

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"

	"agent/internal/tools/advice"
)

// patternError returns an error with advice for an invalid pattern.
func patternError(pattern string, err error) error {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err
	}
	what := e.Code.String()
	if e.Expr != "" && e.Expr != pattern {
		what += ": " + e.Expr
	}
	return advice.Add(fmt.Errorf("the pattern %s is not a valid regular expression (%s)", pattern, what), "%s", patternAdvice(pattern, e))
}

// patternAdvice returns advice for an error in a pattern.
func patternAdvice(pattern string, e *syntax.Error) string {
	switch {
	case lookaround(pattern):
		return "RE2 has no lookaround: remove (?=...), (?!...), (?<=...) or (?<!...) and filter the results; for whole words use \\b"
	case strings.Contains(pattern, "(?>"):
		return "RE2 has no atomic groups and does not need them: use (?:...)"
	case e.Code == syntax.ErrInvalidEscape && len(e.Expr) == 2 && '1' <= e.Expr[1] && e.Expr[1] <= '9':
		return "RE2 has no backreferences: write out the repeated text, or search for the first half and filter the results"
	case e.Code == syntax.ErrInvalidEscape:
		return `This escape does not exist; use \\ for a backslash, and classes such as \w \d \s \pL`
	case e.Code == syntax.ErrMissingRepeatArgument && strings.HasPrefix(pattern, "*"):
		return "This is a regular expression, not a glob: .* matches any text; put file names in glob"
	case e.Code == syntax.ErrInvalidRepeatOp:
		return "RE2 has no possessive repetition and does not need it: use a single * + or ?"
	case e.Code == syntax.ErrInvalidRepeatSize || e.Code == syntax.ErrLarge:
		return "The maximum repetition is 1000: use * or +, or a smaller number"
	case e.Code == syntax.ErrInvalidUTF8:
		return "Write it in UTF-8"
	}
	return "Escape ( ) [ ] { } . * + ? ^ $ | with a backslash to match them literally"
}

// lookaround reports whether a pattern uses lookaround.
func lookaround(pattern string) bool {
	for _, s := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(pattern, s) {
			return true
		}
	}
	return false
}
