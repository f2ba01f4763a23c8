package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// UpperWord uppercases from the caret to the end of the word.
func (b *Buffer) UpperWord() { b.recase(strings.ToUpper) }

// LowerWord lowercases from the caret to the end of the word.
func (b *Buffer) LowerWord() { b.recase(strings.ToLower) }

// CapitalWord capitalizes the word after the caret.
func (b *Buffer) CapitalWord() {
	b.recase(func(word string) string {
		at := 0
		for at < len(word) && ClassAt(word, at) <= Sign {
			at = Next(word, at)
		}
		first, n := utf8.DecodeRuneInString(word[at:])
		if n == 0 {
			return word
		}
		return word[:at] + string(unicode.ToTitle(first)) + strings.ToLower(word[at+n:])
	})
}

// recase replaces the word after the caret by how(word) and moves to its end.
func (b *Buffer) recase(how func(string) string) {
	from, to := b.caret, wordAfter(b.text, b.caret)
	if with := how(b.text[from:to]); with != b.text[from:to] {
		b.Edit(from, to, with)
		return
	}
	b.MoveTo(to)
}

// SwapLetters swaps the characters around the caret and moves after them. At the end
// of a line it swaps the last two.
func (b *Buffer) SwapLetters() {
	start, end := LineStart(b.text, b.caret), LineEnd(b.text, b.caret)
	middle := b.caret
	if middle == end && middle > start {
		middle = Previous(b.text, middle)
	}
	if middle == start {
		return
	}
	from, to := Previous(b.text, middle), Next(b.text, middle)
	b.Edit(from, to, b.text[middle:to]+b.text[from:middle])
}

// SwapWords swaps the word at or after the caret with the previous word and moves
// after both. At the end of the text it swaps the last two.
func (b *Buffer) SwapWords() {
	second := wordBefore(b.text, wordAfter(b.text, b.caret))
	first := wordBefore(b.text, second)
	behind, to := wordAfter(b.text, first), wordAfter(b.text, second)
	if first == second || behind > second {
		return
	}
	s := b.text
	b.Edit(first, to, s[second:to]+s[behind:second]+s[first:behind])
}

// TextStart moves to the start of the text.
func (b *Buffer) TextStart() { b.MoveTo(0) }

// TextEnd moves to the end of the text.
func (b *Buffer) TextEnd() { b.MoveTo(len(b.text)) }

// OnFirstRow reports whether the caret is on the first row.
func (b *Buffer) OnFirstRow() bool {
	row, _ := b.Locate(b.caret)
	return row == 0
}

// AtEnd reports whether the caret is at the end of the text.
func (b *Buffer) AtEnd() bool { return b.caret == len(b.text) }
