package text

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// pastLimit is the maximum number of undo steps.
const pastLimit = 1000

// change replaces old by new at an offset.
type change struct {
	at       int
	old, new string
}

// step is a group of changes that are undone together.
type step struct {
	changes []change
	caret   int // before the changes
}

// history holds the undo and redo steps.
type history struct {
	done, undone []step
	whole        bool // changes join the step until Seal
	sealed       bool // the next change starts a step
}

// record records a change that is about to be applied.
func (p *history) record(b *Buffer, what act, c change) {
	p.undone = nil
	if n := len(p.done) - 1; n >= 0 && !p.sealed && (p.whole || p.continues(b, what, c)) {
		p.done[n].changes = append(p.done[n].changes, c)
		return
	}
	p.sealed = false
	p.done = append(p.done, step{[]change{c}, b.caret})
	if len(p.done) > pastLimit {
		p.done = slices.Delete(p.done, 0, 1)
	}
}

// continues reports whether a change belongs to the last step: a word that is being
// typed, or consecutive deletions.
func (p *history) continues(b *Buffer, what act, c change) bool {
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

// Undo undoes the last step. It reports whether there was one.
func (b *Buffer) Undo() bool {
	n := len(b.history.done) - 1
	if n < 0 {
		return false
	}
	s := b.history.done[n]
	b.history.done = b.history.done[:n]
	for _, c := range slices.Backward(s.changes) {
		b.apply(change{c.at, c.new, c.old})
	}
	b.caret = s.caret
	b.did(moved)
	b.history.undone = append(b.history.undone, s)
	b.history.sealed = true
	return true
}

// Redo redoes the step that was undone last. It reports whether there was one.
func (b *Buffer) Redo() bool {
	n := len(b.history.undone) - 1
	if n < 0 {
		return false
	}
	s := b.history.undone[n]
	b.history.undone = b.history.undone[:n]
	for _, c := range s.changes {
		b.apply(c)
	}
	b.did(moved)
	b.history.done = append(b.history.done, s)
	b.history.sealed = true
	return true
}

// StepCaret returns the caret before the last step.
func (b *Buffer) StepCaret() int {
	if n := len(b.history.done) - 1; n >= 0 {
		return b.history.done[n].caret
	}
	return b.caret
}

// Join groups all changes until Seal into one step.
func (b *Buffer) Join() { b.history.whole, b.history.sealed = true, true }

// Seal ends the step that Join started.
func (b *Buffer) Seal() { b.history.whole, b.history.sealed = false, true }

// Forget clears the undo history.
func (b *Buffer) Forget() { b.history = history{whole: b.history.whole} }
