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
func (b *Buffer) Before() string { return b.text[b.lineStart(b.caret):b.caret] }

// MoveTo puts the caret before the character that is at an offset.
func (b *Buffer) MoveTo(at int) {
	b.moveTo(at)
	b.goal = -1
}

func (b *Buffer) moveTo(at int) {
	at = max(0, min(at, len(b.text)))
	if at > 0 && at < len(b.text) && !boundary(b.text, at) {
		at = previous(b.text, at)
	}
	b.caret, b.last = at, moved
}

// Reset replaces all, and forgets what was before. What was cut stays.
func (b *Buffer) Reset(text string) {
	b.text, b.caret, b.last, b.goal = text, len(text), moved, -1
	b.past, b.marks = past{}, nil
	b.revision++
	b.rows.forget()
}

// Set replaces all, which can be undone, and moves to the end.
func (b *Buffer) Set(text string) { b.edit(changed, 0, len(b.text), text) }

// Type inserts what was typed. Undo takes it back word by word.
func (b *Buffer) Type(s string) { b.edit(typed, b.caret, b.caret, s) }

// TypeOver puts what was typed in the place of a range.
func (b *Buffer) TypeOver(from, to int, s string) { b.edit(typed, from, to, s) }

// Insert inserts text that comes as a whole.
func (b *Buffer) Insert(s string) { b.edit(changed, b.caret, b.caret, s) }

// Replace replaces a range. The caret stands behind what is new if it was in
// the range or at its end, and keeps its place in the text otherwise.
func (b *Buffer) Replace(from, to int, with string) {
	caret := b.caret
	b.edit(changed, from, to, with)
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
		b.edit(erased, previous(b.text, b.caret), b.caret, "")
	}
}

// EraseRight erases the character at the caret.
func (b *Buffer) EraseRight() {
	if b.caret < len(b.text) {
		b.edit(erased, b.caret, next(b.text, b.caret), "")
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
	if at := b.caret; at > 0 && at < len(b.text) && !boundary(b.text, at) {
		b.caret = next(b.text, previous(b.text, at))
	}
}

// lineStart is where the line around an offset begins.
func (b *Buffer) lineStart(at int) int { return strings.LastIndexByte(b.text[:at], '\n') + 1 }

// lineEnd is where the line around an offset ends, before its newline.
func (b *Buffer) lineEnd(at int) int {
	if i := strings.IndexByte(b.text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(b.text)
}
