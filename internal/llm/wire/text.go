package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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

// Plain returns s, an id or a name, in the letters that every provider takes and
// at most longest of them: models and other providers make up some of their
// own. What differs stays different, as long as it is not too long.
func Plain(s string, longest int) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	if b.Len() == 0 {
		return "_"
	}
	return b.String()[:min(b.Len(), longest)]
}

// Short returns id, or what stands for it where it is longer than longest.
func Short(id string, longest int) string {
	if len(id) <= longest {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])[:min(longest, 2*len(sum))]
}
