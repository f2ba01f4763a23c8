package text

// Left moves a character back.
func (b *Buffer) Left() {
	if b.caret > 0 {
		b.MoveTo(Previous(b.text, b.caret))
	}
}

// Right moves a character on.
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

// WordRight moves behind the end of the word after the caret.
func (b *Buffer) WordRight() { b.MoveTo(wordAfter(b.text, b.caret)) }

// wordBefore is where the word before an offset begins: blanks and signs
// between are passed over.
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

// wordAfter is where the word after an offset ends.
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

// blankBefore is where what stands between blanks before an offset begins.
func blankBefore(s string, at int) int {
	for at > 0 && ClassAt(s, Previous(s, at)) == Blank {
		at = Previous(s, at)
	}
	for at > 0 && ClassAt(s, Previous(s, at)) != Blank {
		at = Previous(s, at)
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
