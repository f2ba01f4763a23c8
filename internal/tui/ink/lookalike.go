package ink

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Misleads reports whether Exact writes a character of s as an escape that s
// does not need as a tab or the end of a line: one that looks like another, or
// that cannot be seen.
func Misleads(s string) bool {
	s = strings.NewReplacer("\t", " ", "\r\n", "\n").Replace(s)
	return Exact(s) != s
}

// words tells the letters of a command or a path that look like those of another
// script. It follows the text from word to word.
type words struct {
	left  int  // bytes of the word that is written
	mixed bool // it has letters of more than one script
	latin bool // what was written last is the end of an escape, to which a word is joined
}

// next takes note of the rune with which rest begins, and reports whether it
// misleads.
func (w *words) next(rest string) bool {
	r, n := utf8.DecodeRuneInString(rest)
	if w.left <= 0 && inWord(r) {
		w.left, w.mixed = measureWord(rest, w.latin)
	}
	w.left -= n
	w.latin = false
	return lookalike(r) || rightToLeft(r) || w.mixed && unicode.In(r, likeLatin...)
}

// escaped takes note of an escape.
func (w *words) escaped() { w.left, w.mixed, w.latin = 0, false, true }

// measureWord returns the length of the word with which s begins, and whether
// letters that look like Latin ones stand beside Latin ones in it.
func measureWord(s string, latin bool) (length int, mixed bool) {
	other := false
	for i, r := range s {
		if !inWord(r) {
			return i, latin && other
		}
		latin = latin || unicode.Is(unicode.Latin, r)
		other = other || unicode.In(r, likeLatin...)
	}
	return len(s), latin && other
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
}

// likeLatin are the scripts with letters that look like Latin ones.
var likeLatin = []*unicode.RangeTable{
	unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic, unicode.Lisu,
	unicode.Deseret, unicode.Glagolitic, unicode.Canadian_Aboriginal,
}

// rightToLeft reports whether r is of a script that is written from right to
// left: a terminal may draw what stands beside it in another order.
func rightToLeft(r rune) bool {
	return r >= 0x0590 && r <= 0x08ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff ||
		r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
}

// lookalike reports whether r looks like an ASCII character in every word: letters
// and digits of mathematics and of full width, and some letters and signs.
func lookalike(r rune) bool {
	switch {
	case r >= 0x1d400 && r <= 0x1d7ff, r >= 0xff10 && r <= 0xff19, r >= 0xff21 && r <= 0xff3a, r >= 0xff41 && r <= 0xff5a,
		r >= 0x2160 && r <= 0x217f:
		return true
	}
	return r > 0x7f && strings.ContainsRune("ɑɡıǀǃ∕⁄⧸／；｜＆＞＜＄\u037e\u2010\u2011\u2024\u2236\ua789\u0589", r)
}
