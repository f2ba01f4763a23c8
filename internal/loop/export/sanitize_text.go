package export

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean returns s without terminal colors and with visible escapes in place of
// invalid UTF-8, control characters, private-use characters and everything else that
// can hide or reorder text. Newlines and tabs stay. clean is idempotent.
func clean(s string) string {
	i := firstNonASCII(s)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	marks := 0 // combining marks since the last base character
	for s = s[i:]; s != ""; {
		if n := colorLength(s); n > 0 {
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case unicode.IsMark(r):
			marks++
		case r != '\u200c' && r != '\u200d': // joiners are not base characters
			marks = 0
		}
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\n', r == '\t':
			b.WriteRune(r)
		case r == '\r' && strings.HasPrefix(s, "\r\n"):
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteString("␡")
		case r < 0xa0 && r > 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case (hidden(r) || marks > maxMarks) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case hidden(r) || marks > maxMarks:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}

// maxMarks is the number of combining marks that a base character keeps. More would
// cover the lines around it.
const maxMarks = 4

// firstNonASCII returns the index of the first byte of s that is not printable ASCII,
// a newline or a tab; -1 if there is none.
func firstNonASCII(s string) int {
	for i := range len(s) {
		if c := s[i]; (c < 0x20 && c != '\n' && c != '\t') || c > 0x7e {
			return i
		}
	}
	return -1
}

// colorLength returns the length of the SGR sequence at the beginning of s, which
// sets colors and styles; 0 if there is none.
func colorLength(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}

// hidden reports whether r is invisible, has no standard glyph, or reorders its
// neighbors. Joiners and emoji variation selectors are not: words and emoji need
// them.
func hidden(r rune) bool {
	switch r {
	case '\u200c', '\u200d', '\ufe0e', '\ufe0f':
		return false
	case 0x2800, 0xfffc, 0xfffe, 0xffff, 0x2028, 0x2029:
		return true
	}
	switch {
	case r >= 0x0600 && r <= 0x08e2: // visible signs of Arabic and Syriac
		return r == 0x061c
	case r >= 0xfe00 && r <= 0xfe0d, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Co, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// screen returns output as a terminal would show it: of text that carriage returns
// overwrite, only the last remains.
func screen(s string) string {
	s = strings.TrimRight(s, "\r\n")
	if strings.IndexByte(s, '\r') < 0 {
		return clean(s)
	}
	var b strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRight(line, "\r")
		b.WriteString(line[strings.LastIndexByte(line, '\r')+1:])
		b.WriteByte('\n')
	}
	return clean(strings.TrimSuffix(b.String(), "\n"))
}
