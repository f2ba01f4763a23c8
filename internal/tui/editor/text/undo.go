package text

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// pastLimit is how many steps can be undone.
const pastLimit = 1000

// change replaces what is old by what is new.
type change struct {
	at       int
	old, new string
}

// step is what is undone at once.
type step struct {
	changes []change
	caret   int // before them
}

// past holds what can be undone, and what was.
type past struct {
	done, undone []step
	whole        bool // steps go on until they are sealed
	sealed       bool // the next change begins a step
}

// note adds a change that is about to be made.
func (p *past) note(b *Buffer, what act, c change) {
	p.undone = nil
	if n := len(p.done) - 1; n >= 0 && !p.sealed && (p.whole || p.goesOn(b, what, c)) {
		p.done[n].changes = append(p.done[n].changes, c)
		return
	}
	p.sealed = false
	p.done = append(p.done, step{[]change{c}, b.caret})
	if len(p.done) > pastLimit {
		p.done = slices.Delete(p.done, 0, 1)
	}
}

// goesOn reports whether a change goes on with what was done last: a word that
// is typed, letters that are erased one after the other.
func (p *past) goesOn(b *Buffer, what act, c change) bool {
	if what != b.last || what == typed && c.old != "" {
		return false
	}
	switch what {
	case erased:
		return true
	case typed:
		before, _ := utf8.DecodeLastRuneInString(b.text[:c.at])
		first, _ := utf8.DecodeRuneInString(c.new)
		return !unicode.IsSpace(before) || unicode.IsSpace(first)
	}
	return false
}

// Undo takes the last step back. It reports whether there was one.
func (b *Buffer) Undo() bool {
	n := len(b.past.done) - 1
	if n < 0 {
		return false
	}
	s := b.past.done[n]
	b.past.done = b.past.done[:n]
	for _, c := range slices.Backward(s.changes) {
		b.apply(change{c.at, c.new, c.old})
	}
	b.caret, b.last = s.caret, moved
	b.past.undone = append(b.past.undone, s)
	b.past.sealed = true
	return true
}

// Redo makes the step that was undone last again. It reports whether there was
// one.
func (b *Buffer) Redo() bool {
	n := len(b.past.undone) - 1
	if n < 0 {
		return false
	}
	s := b.past.undone[n]
	b.past.undone = b.past.undone[:n]
	for _, c := range s.changes {
		b.apply(c)
	}
	b.last = moved
	b.past.done = append(b.past.done, s)
	b.past.sealed = true
	return true
}

// StepCaret returns where the caret was before the step that Undo takes back.
func (b *Buffer) StepCaret() int {
	if n := len(b.past.done) - 1; n >= 0 {
		return b.past.done[n].caret
	}
	return b.caret
}

// Join makes one step of all that is changed from here on, until Seal.
func (b *Buffer) Join() { b.past.whole, b.past.sealed = true, true }

// Seal ends the step that Join began.
func (b *Buffer) Seal() { b.past.whole, b.past.sealed = false, true }

// Forget forgets what can be undone.
func (b *Buffer) Forget() { b.past = past{whole: b.past.whole} }
