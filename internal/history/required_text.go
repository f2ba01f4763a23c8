package history

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
)

// RequiredText returns a text for Query.Texts that every match of a regular
// expression contains, ignoring case; "" if there is none.
func RequiredText(expr string) (string, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return "", fmt.Errorf("read the regular expression: %w", err)
	}
	return required(re), nil
}

// required returns the longest text that every match of re contains.
func required(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return unescapedPart(string(re.Rune))
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

// unescapedPart returns the longest part of text that no JSON encoder escapes.
func unescapedPart(text string) string {
	best := ""
	for part := range strings.FieldsFuncSeq(text, escapable) {
		if len(part) > len(best) {
			best = part
		}
	}
	return best
}

// escapable reports whether an encoder may escape r, because it must or for
// safety in HTML.
func escapable(r rune) bool {
	return r < ' ' || r > '~' || strings.ContainsRune("\"\\/<>&'`", r)
}

// needles returns the texts that lines must contain, in lower case, the longest
// first.
func needles(texts []string) [][]byte {
	var all [][]byte
	for _, t := range texts {
		if n := unescapedPart(t); n != "" {
			all = append(all, lower(nil, []byte(n)))
		}
	}
	slices.SortStableFunc(all, func(a, b []byte) int { return len(b) - len(a) })
	return all
}

// lower returns text with ASCII letters in lower case, in the memory of dst if
// it is large enough.
func lower(dst, text []byte) []byte {
	dst = append(dst[:0], text...)
	for i, c := range dst {
		if 'A' <= c && c <= 'Z' {
			dst[i] = c + 'a' - 'A'
		}
	}
	return dst
}
