package search

import (
	"errors"
	"fmt"
	"regexp"
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

// Literal returns the RE2 form of a pattern in which ( ) [ ] { } * + ? and | were meant
// literally, whether they have a backslash or not. It reports false if the pattern has none
// of them without a backslash, or has another escape, such as a class.
func Literal(pattern string) (re2 string, ok bool) {
	const special = `()[]{}*+?|`
	var text strings.Builder
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern) && !isWord(pattern[i+1]):
			i++
			c = pattern[i]
		case c == '\\':
			return "", false
		case strings.IndexByte(special, c) >= 0:
			ok = true
		}
		text.WriteByte(c)
	}
	return regexp.QuoteMeta(text.String()), ok
}

// isWord reports whether c is a letter, a digit or a part of a character outside ASCII.
func isWord(c byte) bool {
	return c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// FromGrep returns the RE2 form of a pattern in the basic syntax of grep, in which
// \|, \(, \) and \{ are operators. It reports false if pattern has none of them, or
// no such form.
func FromGrep(pattern string) (re2 string, ok bool) {
	if !strings.Contains(pattern, `\|`) && !strings.Contains(pattern, `\(`) && !strings.Contains(pattern, `\{`) {
		return "", false
	}
	const operators = "|(){}"
	for _, literal := range []string{"", "(){}|"} { // first keep operators without a backslash
		var b strings.Builder
		for i := 0; i < len(pattern); i++ {
			switch next := min(i+1, len(pattern)-1); {
			case pattern[i] == '\\' && i < next && strings.IndexByte(operators, pattern[next]) >= 0:
				i++
			case pattern[i] == '\\' && i < next:
				b.WriteByte(pattern[i])
				i++
			case strings.IndexByte(literal, pattern[i]) >= 0:
				b.WriteByte('\\')
			}
			b.WriteByte(pattern[i])
		}
		if _, err := syntax.Parse(b.String(), syntax.Perl); err == nil {
			return b.String(), true
		}
	}
	return "", false
}

// patternAdvice returns advice for an error in a pattern.
func patternAdvice(pattern string, e *syntax.Error) string {
	re2, grep := FromGrep(pattern)
	literal, hasOperators := Literal(pattern)
	parenthesis := e.Code == syntax.ErrMissingParen || e.Code == syntax.ErrUnexpectedParen
	switch {
	case parenthesis && hasOperators && !strings.Contains(pattern, "|") && !strings.Contains(pattern, `.*`):
		return "Escape ( ) [ ] { } . * + ? ^ $ | with a backslash to match them literally: " + literal
	case grep:
		return `Patterns are RE2, in which \|, \( and \{ are literal characters. With operators it is: ` + re2
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
