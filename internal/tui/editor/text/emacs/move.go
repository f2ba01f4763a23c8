package emacs

import "agent/internal/tui/editor/text"

// Left moves the caret left one character.
func (e *Emacs) Left() {
	if e.b.Caret() > 0 {
		e.b.MoveTo(text.Previous(e.b.String(), e.b.Caret()))
	}
}

// Right moves the caret right one character.
func (e *Emacs) Right() {
	if e.b.Caret() < len(e.b.String()) {
		e.b.MoveTo(text.Next(e.b.String(), e.b.Caret()))
	}
}

// LineStart moves to the start of the line.
func (e *Emacs) LineStart() { e.b.MoveTo(text.LineStart(e.b.String(), e.b.Caret())) }

// LineEnd moves to the end of the line.
func (e *Emacs) LineEnd() { e.b.MoveTo(text.LineEnd(e.b.String(), e.b.Caret())) }

// WordLeft moves to the start of the word before the caret.
func (e *Emacs) WordLeft() { e.b.MoveTo(wordBefore(e.b.String(), e.b.Caret())) }

// WordRight moves to the end of the word after the caret.
func (e *Emacs) WordRight() { e.b.MoveTo(wordAfter(e.b.String(), e.b.Caret())) }

// wordBefore returns the start of the word before an offset. It skips whitespace and
// punctuation.
func wordBefore(s string, at int) int {
	for at > 0 && text.ClassAt(s, text.Previous(s, at)) <= text.Sign {
		at = text.Previous(s, at)
	}
	if at == 0 {
		return 0
	}
	at = text.Previous(s, at)
	for kind := text.ClassAt(s, at); at > 0 && kind != text.Token && text.ClassAt(s, text.Previous(s, at)) == kind; {
		at = text.Previous(s, at)
	}
	return at
}

// wordAfter returns the end of the word after an offset.
func wordAfter(s string, at int) int {
	for at < len(s) && text.ClassAt(s, at) <= text.Sign {
		at = text.Next(s, at)
	}
	if at == len(s) {
		return at
	}
	kind := text.ClassAt(s, at)
	at = text.Next(s, at)
	for kind != text.Token && at < len(s) && text.ClassAt(s, at) == kind {
		at = text.Next(s, at)
	}
	return at
}

// blankBefore returns the start of the run of non-whitespace before an offset.
func blankBefore(s string, at int) int {
	for at > 0 && text.ClassAt(s, text.Previous(s, at)) == text.Blank {
		at = text.Previous(s, at)
	}
	for at > 0 && text.ClassAt(s, text.Previous(s, at)) != text.Blank {
		at = text.Previous(s, at)
	}
	return at
}

// TextStart moves to the start of the text.
func (e *Emacs) TextStart() { e.b.MoveTo(0) }

// TextEnd moves to the end of the text.
func (e *Emacs) TextEnd() { e.b.MoveTo(len(e.b.String())) }
