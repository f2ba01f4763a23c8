package export

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean returns text fit for a document. Colours of a terminal are dropped; all
// else that could hide or reorder what is read, or is no text at all, becomes a
// visible escape. Newlines and tabs stay. What it returns it leaves as it is.
func clean(s string) string {
	i := dirty(s)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	marks := 0 // in a row
	for s = s[i:]; s != ""; {
		if n := colour(s); n > 0 {
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		if marks++; !unicode.IsMark(r) {
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

// maxMarks is how many combining marks one character keeps: more would cover
// the lines around it.
const maxMarks = 8

// dirty returns where s first holds something that is not plain ASCII, -1 if it
// does nowhere.
func dirty(s string) int {
	for i := range len(s) {
		if c := s[i]; (c < 0x20 && c != '\n' && c != '\t') || c > 0x7e {
			return i
		}
	}
	return -1
}

// colour returns how long the sequence is with which s begins, if that does
// nothing but set colours and weights.
func colour(s string) int {
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

// hidden reports whether r leaves no ink of its own, or changes the order in
// which its neighbours are read. Joiners and the selectors of emoji may stay:
// they are part of how words are written.
func hidden(r rune) bool {
	switch r {
	case '\u200c', '\u200d', '\ufe0e', '\ufe0f':
		return false
	case 0x2800, 0xfffc, 0xfffe, 0xffff, 0x2028, 0x2029:
		return true
	}
	switch {
	case r >= 0x0600 && r <= 0x08e2: // signs of Arabic and Syriac that are seen
		return r == 0x061c
	case r >= 0xfe00 && r <= 0xfe0d, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Co, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// screen returns output as a terminal would have shown it: of what a carriage
// return overwrote, only the last is left.
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
