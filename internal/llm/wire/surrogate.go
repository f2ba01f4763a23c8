package wire

import (
	"bytes"
	"strconv"
	"unicode/utf16"
)

// surrogates joins the two escaped halves of a character that a server sent in
// two payloads: "\ud83d" ends a string of the first, and "\ude00" begins one of
// the second. The zero value holds no half.
type surrogates struct{ held []byte }

// escapeLength is the length of an escape like \ud83d in bytes.
const escapeLength = 6

// join completes the characters in a payload. It removes a first half at the end of
// a string and holds it, and inserts a held half before its second half. If there is
// nothing to join, it returns data itself.
func (s *surrogates) join(data []byte) []byte {
	if len(s.held) == 0 && !bytes.Contains(data, []byte(`\ud`)) && !bytes.Contains(data, []byte(`\uD`)) {
		return data
	}
	var out []byte
	inString, from := false, 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			if inString = !inString; inString && len(s.held) > 0 && isHalf(data[i+1:], false) {
				out = append(append(out, data[from:i+1]...), s.held...)
				s.held, from = nil, i+1
			}
		case c == '\\' && inString:
			if end := i + escapeLength; end < len(data) && data[end] == '"' && isHalf(data[i:], true) {
				out = append(out, data[from:i]...)
				s.held, from = bytes.Clone(data[i:end]), end
				i = end - 1
				continue
			}
			i++ // the escaped character
		}
	}
	if from == 0 {
		return data
	}
	return append(out, data[from:]...)
}

// isHalf reports whether text begins with the escape of a first or a second
// half.
func isHalf(text []byte, first bool) bool {
	if len(text) < escapeLength || text[0] != '\\' || text[1] != 'u' {
		return false
	}
	n, err := strconv.ParseUint(string(text[2:escapeLength]), 16, 16)
	return err == nil && utf16.IsSurrogate(rune(n)) && (n < 0xdc00) == first
}
