package ink

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// WordAt returns the first and last column of the word at column col: a name, a path
// or a number. Any other character is a word of its own.
func WordAt(line string, col int) (from, to int) {
	from, at := 0, 0
	for _, r := range line {
		next := at + ansi.StringWidth(string(r))
		switch {
		case !ofWord(r) && at > col:
			return from, at - 1
		case !ofWord(r) && next > col:
			return col, col
		case !ofWord(r):
			from = next
		}
		at = next
	}
	if col < from || col >= at {
		return col, col
	}
	return from, at - 1
}

func ofWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_-./~@:%+=", r)
}

// WordAround returns the range of the word that contains or touches byte at of raw.
func WordAround(raw string, at int) (from, to int) {
	from, to = at, at
	for from > 0 {
		r, n := utf8.DecodeLastRuneInString(raw[:from])
		if !ofWord(r) {
			break
		}
		from -= n
	}
	for to < len(raw) {
		r, n := utf8.DecodeRuneInString(raw[to:])
		if !ofWord(r) {
			break
		}
		to += n
	}
	return from, to
}
