// Package charset detects the character encoding of text and converts it. It never opens
// files, and finds no encoding that a byte order mark, zeros or invalid UTF-8 do not show.
// It does not tell apart the encodings whose text is plausible in Western languages, such as
// ISO-8859-2. Start reading at Detect.
package charset

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Encoding is a character encoding, named as iconv names it.
type Encoding string

// The detected encodings.
const (
	UTF8        Encoding = "UTF-8"
	UTF16LE     Encoding = "UTF-16LE"
	UTF16BE     Encoding = "UTF-16BE"
	Latin1      Encoding = "ISO-8859-1"
	Windows1252 Encoding = "Windows-1252"
	// Unknown is text in a form of one or more bytes per character that is not recognized,
	// such as Shift JIS.
	Unknown Encoding = "an unknown encoding"
	// Damaged is UTF-16 with invalid bytes. Only Text returns it.
	Damaged Encoding = "UTF-16 with invalid bytes"
)

// sampleBytes is how many bytes decide whether a file is text.
const sampleBytes = 64 << 10

// Detect returns the encoding of b, which is a complete file or, if whole is
// false, its beginning. It reports false for binary content. UTF-8 with some invalid
// bytes is UTF8.
func Detect(b []byte, whole bool) (Encoding, bool) {
	head := b[:min(len(b), sampleBytes)]
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe\x00\x00")): // UTF-32
		return "", false
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return UTF16LE, true
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return UTF16BE, true
	case bytes.IndexByte(head, 0) >= 0:
		if whole && len(b)%2 == 1 { // UTF-16 has pairs of bytes
			return "", false
		}
		return detectUTF16(head)
	}
	if !whole {
		b = Complete(b)
	}
	if utf8.Valid(b) {
		return UTF8, true
	}
	return detectSingleByte(b)
}

// Complete returns b without an incomplete character at its end.
func Complete(b []byte) []byte {
	for i := len(b) - 1; i >= max(len(b)-utf8.UTFMax, 0); i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}

// detectSingleByte distinguishes single-byte text from broken UTF-8 and binary
// content.
func detectSingleByte(b []byte) (Encoding, bool) {
	var broken, sequences, controls, windows int
	undefined := false
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch c := b[i]; {
		case n > 1:
			sequences++
		case r == utf8.RuneError:
			broken++
			if c < 0xa0 {
				windows++
				undefined = undefined || bytes.IndexByte([]byte{0x81, 0x8d, 0x8f, 0x90, 0x9d}, c) >= 0
			}
		case isControl(uint16(c)):
			controls++
		}
		i += n
	}
	switch {
	case controls > 0 && (controls+broken)*10 > len(b):
		return "", false
	case sequences >= broken:
		return UTF8, true
	case controls > 0, undefined, !isWestern(b):
		return Unknown, true
	case windows > 0:
		return Windows1252, true
	}
	return Latin1, true
}

// detectUTF16 detects UTF-16 without a byte order mark: well-formed, without
// control characters, and mostly Latin.
func detectUTF16(head []byte) (Encoding, bool) {
	for _, e := range []Encoding{UTF16LE, UTF16BE} {
		if isUTF16(e, head[:len(head)&^1]) {
			return e, true
		}
	}
	return "", false
}

func isUTF16(e Encoding, b []byte) bool {
	units := make([]uint16, 0, len(b)/2)
	latin := 0
	for pair := range slices.Chunk(b, 2) {
		low, high := pair[0], pair[1]
		if e == UTF16BE {
			low, high = high, low
		}
		u := uint16(high)<<8 | uint16(low)
		if u == 0 || isControl(u) {
			return false
		}
		if high == 0 {
			latin++
		}
		units = append(units, u)
	}
	if len(units) > 0 && utf16.IsSurrogate(rune(units[len(units)-1])) { // may be truncated
		units = units[:len(units)-1]
	}
	return latin*4 >= len(units)*3 && !slices.Contains(utf16.Decode(units), utf8.RuneError)
}

// isControl reports whether c is a control character that text files do not
// contain. Those for terminals and printers are allowed.
func isControl(c uint16) bool {
	return c < ' ' && bytes.IndexByte([]byte("\a\b\t\n\v\f\r\x1b\x1a"), byte(c)) < 0 || c == 0x7f
}

// codec returns the codec of e; nil if text of e is not converted.
func (e Encoding) codec() encoding.Encoding {
	switch e {
	case UTF16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case UTF16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case Latin1:
		return charmap.ISO8859_1
	case Windows1252:
		return charmap.Windows1252
	}
	return nil
}

// Converts reports whether text of e is converted from and to UTF-8.
func (e Encoding) Converts() bool { return e.codec() != nil }

// Decode returns r as UTF-8. It keeps a byte order mark. Invalid UTF-16 becomes
// U+FFFD; invalid UTF-8 is unchanged.
func (e Encoding) Decode(r io.Reader) io.Reader {
	if c := e.codec(); c != nil {
		return transform.NewReader(r, c.NewDecoder())
	}
	return r
}

// Encode returns UTF-8 text in e. It reports a character that e does not have.
func (e Encoding) Encode(text []byte) ([]byte, error) {
	c := e.codec()
	if c == nil {
		return text, nil
	}
	out, err := c.NewEncoder().Bytes(text)
	if err == nil {
		return out, nil
	}
	for _, r := range string(text) {
		if _, err := c.NewEncoder().String(string(r)); err != nil {
			return nil, fmt.Errorf("%s has no character %q", e, r)
		}
	}
	return nil, err
}

// Text returns a complete file as UTF-8 and its encoding. Content that cannot be converted
// back exactly, such as a binary file, is returned unchanged as UTF8, Unknown or Damaged.
func Text(content []byte) ([]byte, Encoding) {
	e, ok := Detect(content, true)
	switch {
	case !ok && !utf8.Valid(content):
		return content, Unknown
	case !ok:
		return content, UTF8
	case !e.Converts():
		return content, e
	}
	text, err := e.codec().NewDecoder().Bytes(content)
	if err != nil {
		return content, Damaged
	}
	if back, err := e.Encode(text); err != nil || !bytes.Equal(back, content) {
		return content, Damaged
	}
	return text, e
}
