package charset

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// The signs of Windows-1252 by where text in Western languages has them.
const (
	beforeLetter   = "‚„…‹‘’“”–—•›\u00a0¡§©«\u00ad°±´µ¶·»¿×"
	afterLetter    = "€…†‡‹‘’“”–—™›\u00a0¢©ª«\u00ad®°±²³´·¹º»×"
	betweenLetters = "’–—…\u00a0\u00ad±´·×"
	// raised are the signs that do not follow a blank.
	raised = "ª²³¹º"
)

// The letters of Windows-1252 with a rule of their own.
const (
	eastern = "ŠšŽž"          // Western languages do not use them
	listed  = "ÄÖÜäöüßÅÆØåæø" // source code lists them side by side
)

// maxOdd is the share of odd runs in Western text, as one in so many.
const maxOdd = 4

// isWestern reports whether text is plausible as ISO-8859-1 or Windows-1252. Text in another
// encoding has letters and signs in places where Western languages do not have them: more than
// two letters beyond ASCII in a row, words of only two or of one between signs, capitals after
// small letters, and signs within words. Fewer than one in maxOdd runs of bytes beyond ASCII may have such a place.
func isWestern(text []byte) bool {
	runs, odd := 0, 0
	for i := 0; i < len(text); i++ {
		if text[i] < utf8.RuneSelf {
			continue
		}
		end := i + 1
		for end < len(text) && text[end] >= utf8.RuneSelf {
			end++
		}
		runs++
		if isOdd(text, i, end) {
			odd++
		}
		i = end
	}
	return odd*maxOdd < runs
}

// isOdd reports whether the run text[from:end] of bytes beyond ASCII is implausible.
func isOdd(text []byte, from, end int) bool {
	alone := !isLetter(western(text, from-1)) && !isLetter(western(text, end))
	letters := from // where the last letters of the run begin
	for i := from; i < end; i++ {
		before, c, after := western(text, i-1), western(text, i), western(text, i+1)
		if !isLetter(c) {
			if isOddSign(before, c, after) {
				return true
			}
			letters = i + 1
			continue
		}
		if strings.ContainsRune(eastern, c) || unicode.IsUpper(c) && unicode.IsLower(before) {
			return true
		}
		if i+1 < end && isLetter(after) {
			continue
		}
		if n := i + 1 - letters; (n > 2 || alone && (n == 2 || end-from > 2)) && !areListed(text[letters:i+1]) {
			return true
		}
	}
	return false
}

// areListed reports whether letters may be side by side in a list of letters.
func areListed(letters []byte) bool {
	for i := range letters {
		if !strings.ContainsRune(listed, western(letters, i)) || i > 0 && letters[i] == letters[i-1] {
			return false
		}
	}
	return true
}

// isOddSign reports whether Western text does not have the sign c between its two neighbors.
func isOddSign(before, c, after rune) bool {
	if strings.ContainsRune(raised, c) && (unicode.IsSpace(before) || strings.ContainsRune(raised, before)) {
		return true
	}
	allowed := ""
	switch {
	case isLetter(before) && isLetter(after):
		allowed = betweenLetters
	case isLetter(before):
		allowed = afterLetter
	case isLetter(after):
		allowed = beforeLetter
	default:
		return false
	}
	return !strings.ContainsRune(allowed, c)
}

// western returns byte i of text as a character of Windows-1252; a newline outside text.
func western(text []byte, i int) rune {
	if i < 0 || i >= len(text) {
		return '\n'
	}
	return charmap.Windows1252.DecodeByte(text[i])
}

// isLetter reports whether c is a letter of a word.
func isLetter(c rune) bool {
	return (unicode.IsUpper(c) || unicode.IsLower(c)) && c != 'ƒ' && c != 'µ'
}
