package wire

import (
	"strings"
	"unicode"
)

// maxMessage bounds what is shown of a provider's own words, in letters.
const maxMessage = 600

// Clean makes a provider's words fit for one line of a terminal: control and
// invisible formatting characters go, blanks are joined, the rest is capped.
func Clean(s string) string {
	if len(s) > 8*maxMessage {
		s = s[:8*maxMessage]
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return First(strings.Join(strings.Fields(s), " "), maxMessage)
}

// First returns the first n letters of s, with an ellipsis if that is not all.
func First(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}
