package tui

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitize returns s fit for the terminal: printable text and newlines.
func Sanitize(s string) string {
	var b strings.Builder
	col := 0
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\n':
			b.WriteByte('\n')
			col = -1
		case r == '\t':
			pad := 4 - col%4
			b.WriteString("    "[:pad])
			col += pad - 1
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune('␡')
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[:n])
		}
		col++
		s = s[n:]
	}
	return b.String()
}

// SanitizeLine is Sanitize for what must stay on one line.
func SanitizeLine(s string) string {
	return strings.ReplaceAll(Sanitize(s), "\n", "⏎")
}
