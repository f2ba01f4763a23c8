package text

// Left moves the caret left one character.
func (b *Buffer) Left() {
	if b.caret > 0 {
		b.MoveTo(Previous(b.text, b.caret))
	}
}

// Right moves the caret right one character.
func (b *Buffer) Right() {
	if b.caret < len(b.text) {
		b.MoveTo(Next(b.text, b.caret))
	}
}

// LineStart moves to the start of the line.
func (b *Buffer) LineStart() { b.MoveTo(LineStart(b.text, b.caret)) }

// LineEnd moves to the end of the line.
func (b *Buffer) LineEnd() { b.MoveTo(LineEnd(b.text, b.caret)) }

// WordLeft moves to the start of the word before the caret.
func (b *Buffer) WordLeft() { b.MoveTo(wordBefore(b.text, b.caret)) }

// WordRight moves to the end of the word after the caret.
func (b *Buffer) WordRight() { b.MoveTo(wordAfter(b.text, b.caret)) }

// wordBefore returns the start of the word before an offset. It skips whitespace and
// punctuation.
func wordBefore(s string, at int) int {
	for at > 0 && ClassAt(s, Previous(s, at)) <= Sign {
		at = Previous(s, at)
	}
	if at == 0 {
		return 0
	}
	at = Previous(s, at)
	for kind := ClassAt(s, at); at > 0 && kind != token && ClassAt(s, Previous(s, at)) == kind; {
		at = Previous(s, at)
	}
	return at
}

// wordAfter returns the end of the word after an offset.
func wordAfter(s string, at int) int {
	for at < len(s) && ClassAt(s, at) <= Sign {
		at = Next(s, at)
	}
	if at == len(s) {
		return at
	}
	kind := ClassAt(s, at)
	at = Next(s, at)
	for kind != token && at < len(s) && ClassAt(s, at) == kind {
		at = Next(s, at)
	}
	return at
}

// blankBefore returns the start of the run of non-whitespace before an offset.
func blankBefore(s string, at int) int {
	for at > 0 && ClassAt(s, Previous(s, at)) == Blank {
		at = Previous(s, at)
	}
	for at > 0 && ClassAt(s, Previous(s, at)) != Blank {
		at = Previous(s, at)
	}
	return at
}

// Up moves the caret up one row and reports whether there is one.
func (b *Buffer) Up() bool { return b.vertical(-1) }

// Down moves the caret down one row and reports whether there is one.
func (b *Buffer) Down() bool { return b.vertical(1) }

func (b *Buffer) vertical(by int) bool {
	row, col := b.Locate(b.caret)
	if row+by < 0 || row+by >= b.RowCount() {
		return false
	}
	if b.goal >= 0 {
		col = b.goal
	}
	b.moveTo(b.Offset(row+by, col))
	b.goal = col
	return true
}
