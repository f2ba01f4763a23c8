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
	lastToken  rune = 0x10fffd
)

// IsToken reports whether r stands for something else.
func IsToken(r rune) bool { return r >= FirstToken && r <= lastToken }

// next returns the offset behind the character at an offset, which must not be
// the end.
func next(s string, at int) int {
	if s[at] < utf8.RuneSelf && (at+1 == len(s) || s[at+1] < utf8.RuneSelf) {
		return at + 1
	}
	r, n := utf8.DecodeRuneInString(s[at:])
	if IsToken(r) {
		return at + n
	}
	if following, _ := utf8.DecodeRuneInString(s[at+n:]); alone(r) && (alone(following) || at+n == len(s)) {
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

// alone reports whether r is of those that most text is made of, and surely no
// part of a larger character where what is beside it is such, too.
func alone(r rune) bool {
	switch {
	case r < 0x250: // Latin
		return r >= ' ' && r != 0x7f && r != 0xa9 && r != 0xad && r != 0xae || r == '\n' || r == '\t'
	case r < 0x3001:
		return r >= 0x391 && r < 0x483 // Greek and Cyrillic
	case r < 0x3400:
		return r <= 0x3029 || r >= 0x3041 && r <= 0x3096 || r >= 0x309d && r <= 0x30ff // Kana
	}
	return r <= 0x9fff || IsToken(r) // Han
}

// previous returns the offset of the character before an offset, which must not
// be 0. It looks from the nearest place that is between characters for certain.
func previous(s string, at int) int {
	from, following := at, rune(0)
	for from > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:from])
		if from < at && alone(r) && alone(following) {
			break
		}
		from, following = from-n, r
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
