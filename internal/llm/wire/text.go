package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
)

// maxMessage limits how much of a provider's message is shown, in runes.
const maxMessage = 600

// Clean makes a provider's text fit for one line of a terminal: it removes
// control and invisible formatting characters, joins whitespace and truncates.
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
	return Truncate(strings.Join(strings.Fields(s), " "), maxMessage)
}

// withoutStop returns s without a full stop at its end: more text may follow.
func withoutStop(s string) string {
	if strings.HasSuffix(s, "..") {
		return s
	}
	return strings.TrimSuffix(s, ".")
}

// Truncate returns the first n runes of s, with an ellipsis if s is longer.
func Truncate(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}

// SafeName returns s, an ID or a name, with only the characters that every
// provider accepts, and at most longest of them. Different inputs stay
// different unless they are truncated. Models and other providers produce IDs
// that some providers reject.
func SafeName(s string, longest int) string {
	if s != "" && strings.IndexFunc(s, isUnsafe) < 0 {
		return s[:min(len(s), longest)]
	}
	var b strings.Builder
	for i := range len(s) {
		if isUnsafe(rune(s[i])) {
			fmt.Fprintf(&b, "_%02x", s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	if b.Len() == 0 {
		return "_"
	}
	return b.String()[:min(b.Len(), longest)]
}

func isUnsafe(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}

// ShortID returns id, or a hash of it if it is longer than longest.
func ShortID(id string, longest int) string {
	if len(id) <= longest {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])[:min(longest, 2*len(sum))]
}
