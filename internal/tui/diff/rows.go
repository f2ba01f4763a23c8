package diff

import (
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// Rows draws single lines of a diff in the unified layout.
type Rows struct {
	drawing drawing
	columns columns
}

// NewRows returns the rows of d within width columns, at least 2.
func NewRows(st *ink.Styles, d event.Diff, width int) *Rows {
	rows := readHunks(d.Unified)
	r := &Rows{drawing{st: st, rows: rows}, columnsFor(rows, width)}
	r.drawing.readCode(d.Path, 0)
	return r
}

// Len returns the number of rows: one for each line of the hunks without their headers,
// and one between two hunks.
func (r *Rows) Len() int { return len(r.drawing.rows) }

// Lines draws row i. Long lines are wrapped.
func (r *Rows) Lines(i int) []string { return r.drawing.unified(couple{i, -1}, r.columns) }
