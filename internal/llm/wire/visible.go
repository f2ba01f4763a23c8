package wire

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible returns JSON with the same value for output that may reach a terminal. It replaces
// the control characters U+007F to U+009F, format characters such as U+202E and line
// separators by escapes, and bytes that are not UTF-8 by U+FFFD. It returns its argument if
// that is ASCII without U+007F.
func Visible(encoded []byte) []byte {
	first := slices.IndexFunc(encoded, func(c byte) bool { return c >= 0x7F })
	if first < 0 {
		return encoded
	}
	out := append(make([]byte, 0, len(encoded)+len(encoded)/8), encoded[:first]...)
	for rest := encoded[first:]; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case !hidden(r):
			out = append(out, rest[:size]...)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		rest = rest[size:]
	}
	return out
}

// hidden reports whether Visible escapes r, or r is U+FFFD, which may replace invalid bytes.
func hidden(r rune) bool {
	return r >= 0x7F && (r <= 0x9F || r == utf8.RuneError || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
}
