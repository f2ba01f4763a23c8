package text_test

import (
	"math/rand/v2"
	"testing"
)

// places returns all character boundaries of a text.
func places(b *draft) (all []int) {
	for b.TextStart(); ; b.Right() {
		all = append(all, b.Caret())
		if b.Caret() == len(b.String()) {
			return all
		}
	}
}

// drafts calls test with random buffers of various widths.
func drafts(t *testing.T, test func(t *testing.T, r *rand.Rand, b *draft)) {
	t.Helper()
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 5))
		b := newDraft()
		b.setWidth(1 + r.IntN(30))
		b.Reset(words(r, r.IntN(40)))
		if test(t, r, b); t.Failed() {
			t.Fatalf("seed %d, width %d, %q", seed, b.width, b.String())
		}
	}
}

// Moving right and moving left stop at the same boundaries.
func TestStepsAreTheSameBothWays(t *testing.T) {
	drafts(t, func(t *testing.T, _ *rand.Rand, b *draft) {
		all := places(b)
		for i := len(all) - 1; i >= 0; i-- {
			if b.Caret() != all[i] {
				t.Errorf("on the way back it is at %d, want %d", b.Caret(), all[i])
			}
			b.Left()
		}
	})
}

// Every move ends at a character boundary in its direction.
func TestMovesGoTheirWay(t *testing.T) {
	drafts(t, func(t *testing.T, r *rand.Rand, b *draft) {
		between := map[int]bool{}
		for _, at := range places(b) {
			between[at] = true
		}
		for name, m := range map[string]struct {
			do  func()
			way int
		}{
			"left": {b.Left, -1}, "right": {b.Right, 1}, "word left": {b.WordLeft, -1}, "word right": {b.WordRight, 1},
			"line start": {b.LineStart, -1}, "line end": {b.LineEnd, 1}, "text start": {b.TextStart, -1}, "text end": {b.TextEnd, 1},
			"up": {func() { b.Up() }, -1}, "down": {func() { b.Down() }, 1},
		} {
			at := boundaryNear(b.String(), r.IntN(len(b.String())+1))
			b.MoveTo(at)
			m.do()
			if !between[b.Caret()] || (b.Caret()-at)*m.way < 0 {
				t.Errorf("%s leads from %d to %d", name, at, b.Caret())
			}
		}
	})
}

// Moving down and up again returns to the same place across rows of any width.
func TestRowsKeepTheColumn(t *testing.T) {
	drafts(t, func(t *testing.T, r *rand.Rand, b *draft) {
		for _, at := range places(b) {
			b.MoveTo(at)
			down := 0
			for range r.IntN(5) {
				if b.Down() {
					down++
				}
			}
			for range down {
				b.Up()
			}
			row, col := b.Rows().Locate(at)
			if r, c := b.Rows().Locate(b.Caret()); r != row || c != col { // characters without a width share their place
				t.Errorf("%d rows down and up lead from %d to %d", down, at, b.Caret())
			}
		}
	})
}

// The caret is drawn at the width of the text before it in its row, within the
// window, and that cell maps back to it.
func TestCaretIsDrawnWhereItIs(t *testing.T) {
	drafts(t, func(t *testing.T, _ *rand.Rand, b *draft) {
		for _, at := range places(b) {
			row, col := b.Rows().Locate(at)
			want := 0
			b.Rows().Draw(row, func(i int, _ string, width int) {
				if i < at {
					want += min(width, b.width)
				}
			})
			if col != want || col > b.width+1 {
				t.Errorf("%d is drawn in column %d, want %d", at, col, want)
			}
			if r, c := b.Rows().Locate(b.Rows().Offset(row, col)); col < b.width && (r != row || c != col) {
				t.Errorf("column %d of row %d leads to column %d of row %d", col, row, c, r)
			}
		}
	})
}
