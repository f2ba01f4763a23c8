package text

import "strings"

// Buffer is editable text with a caret. It is not safe for concurrent use.
type Buffer struct {
	text     string
	caret    int
	revision int
	goal     int // the column for moving up and down, from 0; negative for none

	history history
	last    act
	actions int
	rows    Rows
}

// act is the kind of the last operation, which some operations continue.
type act int

const (
	moved act = iota
	typed
	erased
	changed
)

// New returns an empty buffer. measure returns the width of characters.
func New(measure Measure) *Buffer {
	return &Buffer{goal: -1, rows: Rows{measure: measure, width: 80}}
}

// String returns the text, including tokens.
func (b *Buffer) String() string { return b.text }

// Caret returns the offset of the caret.
func (b *Buffer) Caret() int { return b.caret }

// Revision returns a number that changes with the text.
func (b *Buffer) Revision() int { return b.revision }

// Actions returns the number of edits and moves of the caret so far. A command compares
// it to tell whether it directly follows another one.
func (b *Buffer) Actions() int { return b.actions }

// Rows returns the layout of the text.
func (b *Buffer) Rows() *Rows { return &b.rows }

// Redraw recomputes the layout after the drawn form of a token changed.
func (b *Buffer) Redraw() {
	b.rows.forget()
	b.revision++
}

// did notes what the last operation was.
func (b *Buffer) did(what act) {
	b.last = what
	b.actions++
}

// Before returns the part of the caret's line before the caret.
func (b *Buffer) Before() string { return b.text[LineStart(b.text, b.caret):b.caret] }

// MoveTo moves the caret to an offset, or to the start of the character that contains it.
func (b *Buffer) MoveTo(at int) {
	b.moveTo(at)
	b.goal = -1
}

func (b *Buffer) moveTo(at int) {
	b.caret = Snap(b.text, at)
	b.did(moved)
}

// HoldCharacter moves the caret from the end of a line to the line's last
// character, if there is one. Up and Down keep their column.
func (b *Buffer) HoldCharacter() {
	if at := b.caret; at > LineStart(b.text, at) && at == LineEnd(b.text, at) {
		b.moveTo(Previous(b.text, at))
	}
}

// Reset replaces the text and clears the undo history.
func (b *Buffer) Reset(text string) {
	b.text, b.caret, b.goal = text, len(text), -1
	b.did(moved)
	b.history = history{}
	b.revision++
	b.rows.reset(text)
}

// Set replaces the text, which can be undone, and moves the caret to the end.
func (b *Buffer) Set(text string) { b.Edit(0, len(b.text), text) }

// Type inserts typed text, which undo removes word by word.
func (b *Buffer) Type(s string) { b.edit(typed, b.caret, b.caret, s) }

// TypeOver replaces a range by typed text.
func (b *Buffer) TypeOver(from, to int, s string) { b.edit(typed, from, to, s) }

// Insert inserts text as one undo step.
func (b *Buffer) Insert(s string) { b.Edit(b.caret, b.caret, s) }

// Edit replaces a range by text and moves the caret to its end.
func (b *Buffer) Edit(from, to int, with string) { b.edit(changed, from, to, with) }

// Replace replaces a range. A caret within the range or at its end moves to the end
// of the new text; otherwise it keeps its place in the text.
func (b *Buffer) Replace(from, to int, with string) {
	caret := b.caret
	b.Edit(from, to, with)
	switch {
	case caret > to:
		b.caret = caret - (to - from) + len(with)
	case caret < from:
		b.caret = caret
	}
	b.snapCaret()
}

// EraseLeft deletes the character before the caret.
func (b *Buffer) EraseLeft() {
	if b.caret > 0 {
		b.edit(erased, Previous(b.text, b.caret), b.caret, "")
	}
}

// EraseRight deletes the character at the caret.
func (b *Buffer) EraseRight() {
	if b.caret < len(b.text) {
		b.edit(erased, b.caret, Next(b.text, b.caret), "")
	}
}

// edit replaces a range, records the change for undo and moves the caret to the end
// of the new text. All edits call it.
func (b *Buffer) edit(what act, from, to int, with string) {
	if from == to && with == "" {
		return
	}
	b.history.record(b, what, change{from, b.text[from:to], with})
	b.apply(change{from, b.text[from:to], with})
	b.did(what)
}

// apply applies a change without recording it.
func (b *Buffer) apply(c change) {
	to := c.at + len(c.old)
	b.text = b.text[:c.at] + c.new + b.text[to:]
	b.caret, b.goal = c.at+len(c.new), -1
	b.revision++
	b.rows.edited(b.text, c.at, to, len(c.new))
	b.snapCaret()
}

// snapCaret moves the caret to the end of a character that the edit formed around it.
func (b *Buffer) snapCaret() {
	if from := Snap(b.text, b.caret); from < b.caret {
		b.caret = Next(b.text, from)
	}
}

// Up moves the caret up one row and reports whether there is one.
func (b *Buffer) Up() bool { return b.vertical(-1) }

// Down moves the caret down one row and reports whether there is one.
func (b *Buffer) Down() bool { return b.vertical(1) }

func (b *Buffer) vertical(by int) bool {
	row, col := b.rows.Locate(b.caret)
	if row+by < 0 || row+by >= b.rows.Count() {
		return false
	}
	if b.goal >= 0 {
		col = b.goal
	}
	b.moveTo(b.rows.Offset(row+by, col))
	b.goal = col
	return true
}

// LineStart returns the start of the line that contains an offset.
func LineStart(s string, at int) int { return strings.LastIndexByte(s[:at], '\n') + 1 }

// LineEnd returns the end of the line that contains an offset, before its newline.
func LineEnd(s string, at int) int {
	if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(s)
}

// Line returns the start of line n, counted from 0, or of the last line if there are
// fewer.
func Line(s string, n int) int {
	at := 0
	for ; n > 0; n-- {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return at
}
