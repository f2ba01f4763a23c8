package text

import "strings"

// Buffer is text with a caret in it. It is for one goroutine.
type Buffer struct {
	text     string
	caret    int
	revision int
	goal     int // the column that moving up and down keeps to, from 0; negative is none

	past  past
	kills kills
	marks marks
	last  act
	rows  layout
}

// act is what was done last: some things go on with what was done before.
type act int

const (
	moved act = iota
	typed
	erased
	changed
	killed
	yanked
)

// New returns an empty buffer whose characters are as wide as measure says.
func New(measure Measure) *Buffer {
	return &Buffer{goal: -1, rows: layout{measure: measure, width: 80}}
}

// String is the whole text, tokens included.
func (b *Buffer) String() string { return b.text }

// Caret is where the caret stands.
func (b *Buffer) Caret() int { return b.caret }

// Revision changes whenever the text does.
func (b *Buffer) Revision() int { return b.revision }

// Before is the text of the caret's line before the caret.
func (b *Buffer) Before() string { return b.text[LineStart(b.text, b.caret):b.caret] }

// MoveTo puts the caret before the character that is at an offset.
func (b *Buffer) MoveTo(at int) {
	b.moveTo(at)
	b.goal = -1
}

func (b *Buffer) moveTo(at int) {
	b.caret, b.last = Snap(b.text, at), moved
}

// HoldCharacter moves the caret from the end of a line to the line's last
// character, if there is one. Up and Down keep their column.
func (b *Buffer) HoldCharacter() {
	if at := b.caret; at > LineStart(b.text, at) && at == LineEnd(b.text, at) {
		b.moveTo(Previous(b.text, at))
	}
}

// Reset replaces all, and forgets what was before. What was cut stays.
func (b *Buffer) Reset(text string) {
	b.text, b.caret, b.last, b.goal = text, len(text), moved, -1
	b.past, b.marks = past{}, nil
	b.revision++
	b.rows.forget()
}

// Set replaces all, which can be undone, and moves to the end.
func (b *Buffer) Set(text string) { b.Edit(0, len(b.text), text) }

// Type inserts what was typed. Undo takes it back word by word.
func (b *Buffer) Type(s string) { b.edit(typed, b.caret, b.caret, s) }

// TypeOver puts what was typed in the place of a range.
func (b *Buffer) TypeOver(from, to int, s string) { b.edit(typed, from, to, s) }

// Insert inserts text that comes as a whole.
func (b *Buffer) Insert(s string) { b.Edit(b.caret, b.caret, s) }

// Edit replaces a range by text and moves the caret behind that.
func (b *Buffer) Edit(from, to int, with string) { b.edit(changed, from, to, with) }

// Replace replaces a range. The caret stands behind what is new if it was in
// the range or at its end, and keeps its place in the text otherwise.
func (b *Buffer) Replace(from, to int, with string) {
	caret := b.caret
	b.Edit(from, to, with)
	switch {
	case caret > to:
		b.caret = caret - (to - from) + len(with)
	case caret < from:
		b.caret = caret
	}
	b.settle()
}

// EraseLeft erases the character before the caret.
func (b *Buffer) EraseLeft() {
	if b.caret > 0 {
		b.edit(erased, Previous(b.text, b.caret), b.caret, "")
	}
}

// EraseRight erases the character at the caret.
func (b *Buffer) EraseRight() {
	if b.caret < len(b.text) {
		b.edit(erased, b.caret, Next(b.text, b.caret), "")
	}
}

// edit is the one way in which text changes. The caret stands behind what is
// new.
func (b *Buffer) edit(what act, from, to int, with string) {
	if from == to && with == "" {
		return
	}
	b.past.note(b, what, change{from, b.text[from:to], with})
	b.apply(change{from, b.text[from:to], with})
	b.last = what
}

// apply carries a change out.
func (b *Buffer) apply(c change) {
	to := c.at + len(c.old)
	b.marks.edited(b.text, c)
	b.text = b.text[:c.at] + c.new + b.text[to:]
	b.caret, b.goal = c.at+len(c.new), -1
	b.revision++
	b.rows.edited(b.text, c.at, to, len(c.new))
	b.settle()
}

// settle moves the caret out of a character that an edit made of two.
func (b *Buffer) settle() {
	if from := Snap(b.text, b.caret); from < b.caret {
		b.caret = Next(b.text, from)
	}
}

// LineStart returns where the line around an offset begins.
func LineStart(s string, at int) int { return strings.LastIndexByte(s[:at], '\n') + 1 }

// LineEnd returns where the line around an offset ends, before its newline.
func LineEnd(s string, at int) int {
	if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(s)
}

// Line returns where line n begins, counted from 0, or the last line if there
// are fewer.
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
