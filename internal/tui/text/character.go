package text

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// The characters that are tokens. Of those that nobody gave a meaning to, they
// are the last.
const (
	FirstToken rune = 0x100000
	LastToken  rune = 0x10fffd
)

// IsToken reports whether r stands for something else.
func IsToken(r rune) bool { return r >= FirstToken && r <= LastToken }

// Next returns the offset behind the character at an offset, which must not be
// the end.
func Next(s string, at int) int { return next(s, at) }

func next(s string, at int) int {
	if s[at] < utf8.RuneSelf && (at+1 == len(s) || s[at+1] < utf8.RuneSelf) {
		return at + 1
	}
	if r, n := utf8.DecodeRuneInString(s[at:]); IsToken(r) {
		return at + n
	}
	g, _ := ansi.FirstGraphemeCluster(s[at:], ansi.GraphemeWidth)
	for i, r := range g {
		if i > 0 && IsToken(r) {
			return at + i
		}
	}
	return at + max(len(g), 1)
}

// previous returns the offset of the character before an offset, which must not
// be 0. It looks from the nearest place that is between characters for certain.
func previous(s string, at int) int {
	from := at - 1
	for from > 0 && (s[from] >= utf8.RuneSelf || s[from-1] >= utf8.RuneSelf) {
		from--
	}
	for {
		n := next(s, from)
		if n >= at {
			return from
		}
		from = n
	}
}

// boundary reports whether an offset within s is between two characters.
func boundary(s string, at int) bool {
	return utf8.RuneStart(s[at]) && next(s, previous(s, at)) == at
}

// class tells words from what is between them.
type class int

const (
	blank class = iota
	sign
	letter
	token
	ideograph
	hiragana
	katakana
	picture
)

// classAt is the class of the character at an offset; of the end, blank.
func classAt(s string, at int) class {
	if at >= len(s) {
		return blank
	}
	r, _ := utf8.DecodeRuneInString(s[at:])
	switch {
	case unicode.IsSpace(r):
		return blank
	case r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
		return letter
	case r < utf8.RuneSelf:
		return sign
	case IsToken(r):
		return token
	case unicode.Is(unicode.Han, r):
		return ideograph
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case unicode.Is(unicode.Katakana, r):
		return katakana
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return letter
	case r >= 0x1f000:
		return picture
	}
	return sign
}
