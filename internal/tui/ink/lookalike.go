package ink

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// HasConfusables reports whether s has characters that look like others or are invisible:
// characters that Exact escapes, except tabs and line ends.
func HasConfusables(s string) bool {
	s = strings.NewReplacer("\t", " ", "\r\n", "\n").Replace(s)
	return Exact(s) != s
}

// words finds letters of a command or path that look like letters of another script
// in the same word.
type words struct {
	left  int  // remaining bytes of the current word
	mixed bool // the word mixes Latin letters with similar ones
	latin bool // an escape was written last, which a following word joins
}

// next advances over the first rune of rest and reports whether it is misleading.
func (w *words) next(rest string) bool {
	r, n := utf8.DecodeRuneInString(rest)
	if w.left <= 0 && inWord(r) {
		w.left, w.mixed = measureWord(rest, w.latin)
	}
	w.left -= n
	w.latin = false
	return lookalike(r) || rightToLeft(r) || w.mixed && unicode.In(r, likeLatin...)
}

// escaped records that an escape was written.
func (w *words) escaped() { w.left, w.mixed, w.latin = 0, false, true }

// measureWord returns the length of the word at the start of s, and whether it mixes
// Latin letters with letters that look like them.
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

// likeLatin holds the scripts with letters that look like Latin ones.
var likeLatin = []*unicode.RangeTable{
	unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic, unicode.Lisu,
	unicode.Deseret, unicode.Glagolitic, unicode.Canadian_Aboriginal,
}

// rightToLeft reports whether r belongs to a right-to-left script, next to which a
// terminal may reorder text.
func rightToLeft(r rune) bool {
	return r >= 0x0590 && r <= 0x08ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff ||
		r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
}

// lookalike reports whether r looks like an ASCII character in any context:
// mathematical and full-width letters and digits, and some other characters.
func lookalike(r rune) bool {
	switch {
	case r >= 0x1d400 && r <= 0x1d7ff, r >= 0xff10 && r <= 0xff19, r >= 0xff21 && r <= 0xff3a, r >= 0xff41 && r <= 0xff5a,
		r >= 0x2160 && r <= 0x217f:
		return true
	}
	return r > 0x7f && strings.ContainsRune("ɑɡıǀǃ∕⁄⧸／；｜＆＞＜＄\u037e\u2010\u2011\u2024\u2236\ua789\u0589", r)
}
