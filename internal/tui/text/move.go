package text

// Left moves a character back.
func (b *Buffer) Left() {
	if b.caret > 0 {
		b.MoveTo(previous(b.text, b.caret))
	}
}

// Right moves a character on.
func (b *Buffer) Right() {
	if b.caret < len(b.text) {
		b.MoveTo(next(b.text, b.caret))
	}
}

// LineStart moves to the start of the line.
func (b *Buffer) LineStart() { b.MoveTo(b.lineStart(b.caret)) }

// LineEnd moves to the end of the line.
func (b *Buffer) LineEnd() { b.MoveTo(b.lineEnd(b.caret)) }

// WordLeft moves to the start of the word before the caret.
func (b *Buffer) WordLeft() { b.MoveTo(wordBefore(b.text, b.caret)) }

// WordRight moves behind the end of the word after the caret.
func (b *Buffer) WordRight() { b.MoveTo(wordAfter(b.text, b.caret)) }

// wordBefore is where the word before an offset begins: blanks and signs
// between are passed over.
func wordBefore(s string, at int) int {
	for at > 0 && classAt(s, previous(s, at)) <= sign {
		at = previous(s, at)
	}
	if at == 0 {
		return 0
	}
	at = previous(s, at)
	for kind := classAt(s, at); at > 0 && kind != token && classAt(s, previous(s, at)) == kind; {
		at = previous(s, at)
	}
	return at
}

// wordAfter is where the word after an offset ends.
func wordAfter(s string, at int) int {
	for at < len(s) && classAt(s, at) <= sign {
		at = next(s, at)
	}
	if at == len(s) {
		return at
	}
	kind := classAt(s, at)
	at = next(s, at)
	for kind != token && at < len(s) && classAt(s, at) == kind {
		at = next(s, at)
	}
	return at
}

// blankBefore is where what stands between blanks before an offset begins.
func blankBefore(s string, at int) int {
	for at > 0 && classAt(s, previous(s, at)) == blank {
		at = previous(s, at)
	}
	for at > 0 && classAt(s, previous(s, at)) != blank {
		at = previous(s, at)
	}
	return at
}

// Up moves a row up, and reports whether there is one.
func (b *Buffer) Up() bool { return b.vertical(-1) }

// Down moves a row down, and reports whether there is one.
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
