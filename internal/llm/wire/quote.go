package wire

import (
	"fmt"
	"unicode/utf8"
)

// AppendString appends s as a JSON string, just as Marshal writes it, but
// straight into b: the text of a conversation is most of every request, and
// Marshal moves it four times.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	done := 0 // of s
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if r >= utf8.RuneSelf && r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || n > 1) {
			continue
		}
		b = append(b, s[done:i-n]...)
		done = i
		switch r {
		case '"', '\\':
			b = append(b, '\\', byte(r))
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return append(append(b, s[done:]...), '"')
}
