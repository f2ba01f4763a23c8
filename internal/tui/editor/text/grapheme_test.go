package text

import (
	"math/rand/v2"
	"testing"
)

// places returns all character boundaries of a text.
func places(b *Buffer) (all []int) {
	for b.TextStart(); ; b.Right() {
		all = append(all, b.caret)
		if b.AtEnd() {
			return all
		}
	}
}

// drafts calls test with random buffers of various widths.
func drafts(t *testing.T, test func(t *testing.T, r *rand.Rand, b *Buffer)) {
	t.Helper()
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 5))
		b := New(plain)
		b.SetWidth(1 + r.IntN(30))
		b.Reset(words(r, r.IntN(40)))
		if test(t, r, b); t.Failed() {
			t.Fatalf("seed %d, width %d, %q", seed, b.rows.width, b.text)
		}
	}
}

// Moving right and moving left stop at the same boundaries.
func TestStepsAreTheSameBothWays(t *testing.T) {
	drafts(t, func(t *testing.T, _ *rand.Rand, b *Buffer) {
		all := places(b)
		for i := len(all) - 1; i >= 0; i-- {
			if b.caret != all[i] {
				t.Errorf("on the way back it is at %d, want %d", b.caret, all[i])
			}
			b.Left()
		}
	})
}

// Every move ends at a character boundary in its direction.
func TestMovesGoTheirWay(t *testing.T) {
	drafts(t, func(t *testing.T, r *rand.Rand, b *Buffer) {
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
			at := boundaryNear(b.text, r.IntN(len(b.text)+1))
			b.MoveTo(at)
			m.do()
			if !between[b.caret] || (b.caret-at)*m.way < 0 {
				t.Errorf("%s leads from %d to %d", name, at, b.caret)
			}
		}
	})
}

// Moving down and up again returns to the same place across rows of any width.
func TestRowsKeepTheColumn(t *testing.T) {
	drafts(t, func(t *testing.T, r *rand.Rand, b *Buffer) {
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
			row, col := b.Locate(at)
			if r, c := b.Locate(b.caret); r != row || c != col { // characters without a width share their place
				t.Errorf("%d rows down and up lead from %d to %d", down, at, b.caret)
			}
		}
	})
}

// The caret is drawn at the width of the text before it in its row, within the
// window, and that cell maps back to it.
func TestCaretIsDrawnWhereItIs(t *testing.T) {
	drafts(t, func(t *testing.T, _ *rand.Rand, b *Buffer) {
		for _, at := range places(b) {
			row, col := b.Locate(at)
			want := 0
			b.Draw(row, func(i int, _ string, width int) {
				if i < at {
					want += min(width, b.rows.width)
				}
			})
			if col != want || col > b.rows.width+1 {
				t.Errorf("%d is drawn in column %d, want %d", at, col, want)
			}
			if r, c := b.Locate(b.Offset(row, col)); col < b.rows.width && (r != row || c != col) {
				t.Errorf("column %d of row %d leads to column %d of row %d", col, row, c, r)
			}
		}
	})
}
