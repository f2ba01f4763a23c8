package history

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
)

// RequiredText returns a text for Query.Texts that occurs in all that a regular
// expression matches, in upper or lower case; "" if there is none.
func RequiredText(expr string) (string, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return "", fmt.Errorf("read the regular expression: %w", err)
	}
	return required(re), nil
}

// required returns the longest plain text that every match of re holds.
func required(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return plain(string(re.Rune))
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			if text := required(sub); len(text) > len(best) {
				best = text
			}
		}
		return best
	}
	return ""
}

// plain returns the longest part of a text that JSON writes as it is, whoever
// encodes it.
func plain(text string) string {
	best := ""
	for part := range strings.FieldsFuncSeq(text, escapable) {
		if len(part) > len(best) {
			best = part
		}
	}
	return best
}

// escapable reports whether an encoder may write r in another way than as it
// is, because it must or because what it writes is to be safe in HTML.
func escapable(r rune) bool {
	return r < ' ' || r > '~' || strings.ContainsRune("\"\\/<>&'`", r)
}

// needles returns what the lines to be found must hold, in lower case, the
// longest first.
func needles(texts []string) [][]byte {
	var all [][]byte
	for _, t := range texts {
		if n := plain(t); n != "" {
			all = append(all, lower(nil, []byte(n)))
		}
	}
	slices.SortStableFunc(all, func(a, b []byte) int { return len(b) - len(a) })
	return all
}

// lower appends text to dst[:0] with ASCII's letters in lower case, and returns
// it.
func lower(dst, text []byte) []byte {
	dst = append(dst[:0], text...)
	for i, c := range dst {
		if 'A' <= c && c <= 'Z' {
			dst[i] = c + 'a' - 'A'
		}
	}
	return dst
}
