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

// Rows is the text of a Buffer in rows of a limited width. It follows the text: after an
// edit it updates only the affected rows.
type Rows struct {
	measure Measure
	width   int
	text    string
	rows    []Row // nil if not computed yet
}

// SetWidth sets the maximum width of a row. A space at its end may exceed it by one
// column.
func (r *Rows) SetWidth(width int) {
	if width = max(width, 1); width != r.width {
		r.width = width
		r.forget()
	}
}

// Count returns the number of rows, at least 1.
func (r *Rows) Count() int { return len(r.broken()) }

// At returns row i.
func (r *Rows) At(i int) Row { return r.broken()[i] }

// Locate returns the row and column of an offset. An offset between two rows of a
// line belongs to the second.
func (r *Rows) Locate(at int) (row, col int) {
	rows := r.broken()
	row = sort.Search(len(rows), func(i int) bool { return rows[i].From > at }) - 1
	return row, r.Column(rows[row].From, min(at, rows[row].To))
}

// Column returns the width of the text between two offsets.
func (r *Rows) Column(from, to int) (col int) {
	for at := from; at < to; {
		n, w := r.size(at)
		at, col = at+n, col+w
	}
	return col
}

// AtColumn returns the offset of the character at column col of the text between
// from and to, or to if the text is narrower.
func (r *Rows) AtColumn(from, to, col int) int {
	at := from
	for x := 0; at < to; {
		n, w := r.size(at)
		if x+w > col {
			break
		}
		at, x = at+n, x+w
	}
	return at
}

// Offset returns the offset in a row that is nearest to a column.
func (r *Rows) Offset(row, col int) int {
	rows := r.broken()
	from, to := rows[row].From, rows[row].To
	at := r.AtColumn(from, to, col)
	if at == to && at > from && row+1 < len(rows) && rows[row+1].From == at {
		return Previous(r.text, at) // the offset itself belongs to the next row
	}
	return at
}

// Draw calls put with the offset, drawn form and width of each character of a row.
func (r *Rows) Draw(row int, put func(at int, drawn string, width int)) {
	for at, end := r.At(row).From, r.At(row).To; at < end; {
		to := Next(r.text, at)
		drawn, w := r.measure(r.text[at:to], r.text[to:])
		put(at, drawn, w)
		at = to
	}
}

func (r *Rows) broken() []Row {
	if r.rows == nil {
		r.rows, _ = r.from(0, func(int) bool { return false }, nil)
	}
	return r.rows
}

// forget makes the next query compute all rows.
func (r *Rows) forget() { r.rows = nil }

// reset replaces the text.
func (r *Rows) reset(text string) { r.text, r.rows = text, nil }

// edited updates the rows to text, in which n bytes replaced [from, to).
func (r *Rows) edited(text string, from, to, n int) {
	r.text = text
	if r.rows == nil {
		return
	}
	old, by := r.rows, n-(to-from)
	first := sort.Search(len(old), func(i int) bool { return old[i].From > from }) - 1
	first = max(first-1, 0) // a word may move to the previous row
	tail := sort.Search(len(old), func(i int) bool { return old[i].From >= to && old[i].From > from })
	rows := append(make([]Row, 0, len(old)+8), old[:first]...)
	rows, met := r.from(old[first].From, func(at int) bool {
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
func (r *Rows) from(at int, known func(at int) bool, rows []Row) (all []Row, met bool) {
	for at >= 0 {
		to, following := r.row(at)
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
func (r *Rows) row(from int) (to, following int) {
	col, mayBreak, was := 0, -1, 0
	for at := from; at < len(r.text); {
		if r.text[at] == '\n' {
			return at, at + 1
		}
		n, w := r.size(at)
		if at > from && w > 1 || was > 1 {
			mayBreak = at
		}
		if col+w > r.width && at > from {
			if r.text[at] == ' ' && col == r.width {
				return r.hang(at)
			}
			if mayBreak > from {
				return mayBreak, mayBreak
			}
			return at, at
		}
		col, was = col+w, w
		at += n
		if r.text[at-n] == ' ' {
			mayBreak = at
		}
	}
	return len(r.text), -1
}

// hang ends a row after the space at an offset, which may exceed the width.
func (r *Rows) hang(at int) (to, following int) {
	at++
	switch {
	case at == len(r.text):
		return at, -1
	case r.text[at] == '\n':
		return at, at + 1
	}
	return at, at
}

// size returns the length in bytes and the width of the character at an offset.
func (r *Rows) size(at int) (n, width int) {
	if c := r.text[at]; c >= 0x20 && c < 0x7f && (at+1 == len(r.text) || r.text[at+1] < utf8.RuneSelf) {
		return 1, 1
	}
	to := Next(r.text, at)
	_, width = r.measure(r.text[at:to], r.text[to:])
	return to - at, min(width, r.width)
}
