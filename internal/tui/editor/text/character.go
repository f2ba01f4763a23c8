package text

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// The range of the tokens: the last private use plane of Unicode.
const (
	FirstToken rune = 0x100000
	lastToken  rune = 0x10fffd
)

// IsToken reports whether r is a token.
func IsToken(r rune) bool { return r >= FirstToken && r <= lastToken }

// Next returns the end of the character at an offset, which must not be the end of
// s.
func Next(s string, at int) int {
	if s[at] < utf8.RuneSelf && (at+1 == len(s) || s[at+1] < utf8.RuneSelf) {
		return at + 1
	}
	r, n := utf8.DecodeRuneInString(s[at:])
	if IsToken(r) {
		return at + n
	}
	if following, _ := utf8.DecodeRuneInString(s[at+n:]); standalone(r) && (standalone(following) || at+n == len(s)) {
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

// standalone reports whether r is a common character that never combines with
// another standalone one next to it.
func standalone(r rune) bool {
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

// Previous returns the start of the character before an offset, which must not be 0.
// It searches forward from the nearest certain character boundary.
func Previous(s string, at int) int {
	from, following := at, rune(0)
	for from > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:from])
		if from < at && standalone(r) && standalone(following) {
			break
		}
		from, following = from-n, r
	}
	for {
		n := Next(s, from)
		if n >= at {
			return from
		}
		from = n
	}
}

// Snap returns the start of the character that contains an offset: the offset itself
// if it is a character boundary. It clamps offsets outside s.
func Snap(s string, at int) int {
	at = max(0, min(at, len(s)))
	if at == 0 || at == len(s) {
		return at
	}
	if from := Previous(s, at); !utf8.RuneStart(s[at]) || Next(s, from) != at {
		return from
	}
	return at
}

// Class classifies characters for word operations. Adjacent characters of one class
// form a word.
type Class int

// The character classes. Classes above Letter are tokens, emoji, and letters of
// scripts without spaces between words.
const (
	Blank Class = iota
	Sign
	Letter
	Token
	ideograph
	hiragana
	katakana
	picture
)

// ClassAt returns the class of the character at an offset, Blank at the end.
func ClassAt(s string, at int) Class {
	if at >= len(s) {
		return Blank
	}
	r, _ := utf8.DecodeRuneInString(s[at:])
	switch {
	case unicode.IsSpace(r):
		return Blank
	case r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
		return Letter
	case r < utf8.RuneSelf:
		return Sign
	case IsToken(r):
		return Token
	case unicode.Is(unicode.Han, r):
		return ideograph
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case unicode.Is(unicode.Katakana, r):
		return katakana
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return Letter
	case r >= 0x1f000:
		return picture
	}
	return Sign
}
