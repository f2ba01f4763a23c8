package tui

import (
	"strings"

	"agent/internal/tui/ink"
)

// sweep is what the mouse or keys mark in the draft, between two places of its
// text. It lasts until the next key.
type sweep struct {
	from, to int
	keys     bool // marked it, to do something to it
}

// ends are its ends in the order of the text.
func (s sweep) ends() (from, to int) { return min(s.from, s.to), max(s.from, s.to) }

// click places the caret at a cell of the editor, and begins to mark there. The
// second click at the same place marks the word, the third the line.
func (e *editor) click(x, y, clicks int) {
	if e.search != nil {
		e.endSearch(false)
		y--
	}
	at := e.cell(x, y)
	e.place(at)
	e.swept = sweep{from: at, to: at}
	raw := e.buf.String()
	switch clicks {
	case 2:
		e.swept.from, e.swept.to = ink.WordAround(raw, at)
	case 3:
		e.swept.from = strings.LastIndexByte(raw[:at], '\n') + 1
		if n := strings.IndexByte(raw[at:], '\n'); n >= 0 {
			e.swept.to = at + n
		} else {
			e.swept.to = len(raw)
		}
	}
}

// sweepTo marks as far as a cell, and scrolls where that is out of sight.
func (e *editor) sweepTo(x, y int) {
	at := e.cell(x, y)
	e.swept.to = at
	e.place(at)
}

// sweptText is what is marked, pastes written out.
func (e *editor) sweptText() string {
	from, to := e.swept.ends()
	if to > len(e.buf.String()) {
		return ""
	}
	return e.tokens.expand(e.buf.String()[from:to])
}

// place moves the caret.
func (e *editor) place(at int) {
	e.buf.MoveTo(at)
	if e.vi != nil {
		e.vi.Moved()
	}
}

// cell is the place in the text that is nearest to a cell of the editor.
func (e *editor) cell(x, y int) int {
	row := max(0, min(e.top+y, e.buf.RowCount()-1))
	return e.buf.Offset(row, max(x-ink.Gutter, 0))
}
