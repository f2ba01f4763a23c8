package text

import (
	"sort"
	"unicode/utf8"
)

// Measure returns the drawn form and the width of a character. rest is the text
// after it, which affects the form of a few characters.
type Measure func(character, rest string) (drawn string, width int)

// Row is the range of the text on one drawn line, without its newline.
type Row struct{ From, To int }

// layout breaks text into rows. After an edit it updates only the affected rows.
type layout struct {
	measure Measure
	width   int
	rows    []Row // nil if not computed yet
}

// SetWidth sets the maximum width of a row. A space at its end may exceed it by one
// column.
func (b *Buffer) SetWidth(width int) {
	if width = max(width, 1); width != b.rows.width {
		b.rows.width = width
		b.rows.forget()
	}
}

// Redraw recomputes the layout after the drawn form of a token changed.
func (b *Buffer) Redraw() {
	b.rows.forget()
	b.revision++
}

// RowCount returns the number of rows, at least 1.
func (b *Buffer) RowCount() int { return len(b.broken()) }

// Row returns row i.
func (b *Buffer) Row(i int) Row { return b.broken()[i] }

// Locate returns the row and column of an offset. An offset between two rows of a
// line belongs to the second.
func (b *Buffer) Locate(at int) (row, col int) {
	rows := b.broken()
	row = sort.Search(len(rows), func(i int) bool { return rows[i].From > at }) - 1
	return row, b.Column(rows[row].From, min(at, rows[row].To))
}

// Column returns the width of the text between two offsets.
func (b *Buffer) Column(from, to int) (col int) {
	for at := from; at < to; {
		n, w := b.rows.size(b.text, at)
		at, col = at+n, col+w
	}
	return col
}

// AtColumn returns the offset of the character at column col of the text between
// from and to, or to if the text is narrower.
func (b *Buffer) AtColumn(from, to, col int) int {
	at := from
	for x := 0; at < to; {
		n, w := b.rows.size(b.text, at)
		if x+w > col {
			break
		}
		at, x = at+n, x+w
	}
	return at
}

// Offset returns the offset in a row that is nearest to a column.
func (b *Buffer) Offset(row, col int) int {
	rows := b.broken()
	r := rows[row]
	at := b.AtColumn(r.From, r.To, col)
	if at == r.To && at > r.From && row+1 < len(rows) && rows[row+1].From == at {
		return Previous(b.text, at) // the offset itself belongs to the next row
	}
	return at
}

// Draw calls put with the offset, drawn form and width of each character of a row.
func (b *Buffer) Draw(row int, put func(at int, drawn string, width int)) {
	r := b.broken()[row]
	for at := r.From; at < r.To; {
		to := Next(b.text, at)
		drawn, w := b.rows.measure(b.text[at:to], b.text[to:])
		put(at, drawn, w)
		at = to
	}
}

func (b *Buffer) broken() []Row {
	if b.rows.rows == nil {
		b.rows.rows, _ = b.rows.from(b.text, 0, func(int) bool { return false }, nil)
	}
	return b.rows.rows
}

func (r *layout) forget() { r.rows = nil }

// edited updates the rows after [from, to) was replaced by n bytes.
func (r *layout) edited(text string, from, to, n int) {
	if r.rows == nil {
		return
	}
	old, by := r.rows, n-(to-from)
	first := sort.Search(len(old), func(i int) bool { return old[i].From > from }) - 1
	first = max(first-1, 0) // a word may move to the previous row
	tail := sort.Search(len(old), func(i int) bool { return old[i].From >= to && old[i].From > from })
	rows := append(make([]Row, 0, len(old)+8), old[:first]...)
	rows, met := r.from(text, old[first].From, func(at int) bool {
		for tail < len(old) && old[tail].From+by < at {
			tail++
		}
		return tail < len(old) && old[tail].From+by == at
	}, rows)
	if met {
		for _, o := range old[tail:] {
			rows = append(rows, Row{o.From + by, o.To + by})
		}
	}
	r.rows = rows
}

// from appends the rows of text from an offset on, until a row starts where known
// returns true. met is false if it reached the end instead.
func (r *layout) from(text string, at int, known func(at int) bool, rows []Row) (all []Row, met bool) {
	for at >= 0 {
		to, following := r.row(text, at)
		rows = append(rows, Row{at, to})
		if following >= 0 && known(following) {
			return rows, true
		}
		at = following
	}
	return rows, false
}

// row returns the end of the row that starts at from, and the start of the next row,
// negative if there is none.
func (r *layout) row(text string, from int) (to, following int) {
	col, mayBreak, was := 0, -1, 0
	for at := from; at < len(text); {
		if text[at] == '\n' {
			return at, at + 1
		}
		n, w := r.size(text, at)
		if at > from && w > 1 || was > 1 {
			mayBreak = at
		}
		if col+w > r.width && at > from {
			if text[at] == ' ' && col == r.width {
				return r.hang(text, at)
			}
			if mayBreak > from {
				return mayBreak, mayBreak
			}
			return at, at
		}
		col, was = col+w, w
		at += n
		if text[at-n] == ' ' {
			mayBreak = at
		}
	}
	return len(text), -1
}

// hang ends a row after the space at an offset, which may exceed the width.
func (r *layout) hang(text string, at int) (to, following int) {
	at++
	switch {
	case at == len(text):
		return at, -1
	case text[at] == '\n':
		return at, at + 1
	}
	return at, at
}

// size returns the length in bytes and the width of the character at an offset.
func (r *layout) size(text string, at int) (n, width int) {
	if c := text[at]; c >= 0x20 && c < 0x7f && (at+1 == len(text) || text[at+1] < utf8.RuneSelf) {
		return 1, 1
	}
	to := Next(text, at)
	_, width = r.measure(text[at:to], text[to:])
	return to - at, min(width, r.width)
}
