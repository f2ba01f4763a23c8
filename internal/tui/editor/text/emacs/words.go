package emacs

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/tui/editor/text"
)

// UpperWord uppercases from the caret to the end of the word.
func (e *Emacs) UpperWord() { e.recase(strings.ToUpper) }

// LowerWord lowercases from the caret to the end of the word.
func (e *Emacs) LowerWord() { e.recase(strings.ToLower) }

// CapitalWord capitalizes the word after the caret.
func (e *Emacs) CapitalWord() {
	e.recase(func(word string) string {
		at := 0
		for at < len(word) && text.ClassAt(word, at) <= text.Sign {
			at = text.Next(word, at)
		}
		first, n := utf8.DecodeRuneInString(word[at:])
		if n == 0 {
			return word
		}
		return word[:at] + string(unicode.ToTitle(first)) + strings.ToLower(word[at+n:])
	})
}

// recase replaces the word after the caret by how(word) and moves to its end.
func (e *Emacs) recase(how func(string) string) {
	from, to := e.b.Caret(), wordAfter(e.b.String(), e.b.Caret())
	if with := how(e.b.String()[from:to]); with != e.b.String()[from:to] {
		e.b.Edit(from, to, with)
		return
	}
	e.b.MoveTo(to)
}

// SwapLetters swaps the characters around the caret and moves after them. At the end
// of a line it swaps the last two.
func (e *Emacs) SwapLetters() {
	start, end := text.LineStart(e.b.String(), e.b.Caret()), text.LineEnd(e.b.String(), e.b.Caret())
	middle := e.b.Caret()
	if middle == end && middle > start {
		middle = text.Previous(e.b.String(), middle)
	}
	if middle == start {
		return
	}
	from, to := text.Previous(e.b.String(), middle), text.Next(e.b.String(), middle)
	e.b.Edit(from, to, e.b.String()[middle:to]+e.b.String()[from:middle])
}

// SwapWords swaps the word at or after the caret with the previous word and moves
// after both. At the end of the text it swaps the last two.
func (e *Emacs) SwapWords() {
	second := wordBefore(e.b.String(), wordAfter(e.b.String(), e.b.Caret()))
	first := wordBefore(e.b.String(), second)
	behind, to := wordAfter(e.b.String(), first), wordAfter(e.b.String(), second)
	if first == second || behind > second {
		return
	}
	s := e.b.String()
	e.b.Edit(first, to, s[second:to]+s[behind:second]+s[first:behind])
}
