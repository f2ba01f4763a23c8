// Package diff draws what a change does to a file: the hunks of a unified diff,
// one side below or beside the other, with the words that differ.
package diff

import (
	"fmt"
	"strconv"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// Stat tells the size of d: "+3 −1".
func Stat(d event.Diff) string { return fmt.Sprintf("+%d −%d", d.Added, d.Removed) }

// Hunks counts the hunks of d.
func Hunks(d event.Diff) int {
	n := 1
	for _, r := range readHunks(d.Unified) {
		if r.mark == '@' {
			n++
		}
	}
	return n
}

// Between is what the line between two hunks shows.
const Between = "⋮"

// Lines draws the hunks of d within width columns, at least 2: line numbers, marks
// and text, with the changed words of changed lines highlighted. It uses the split
// layout if st says so or if there is room. Long lines are wrapped, never truncated.
// If limit is not 0, at most limit lines are drawn; the last one then says how many
// are omitted.
func Lines(st *ink.Styles, d event.Diff, width, limit int) []string {
	out, more := Head(st, d, width, limit)
	if more > 0 {
		out = append(out, ink.Draw([]ink.Span{{Text: ink.Truncate("… "+phrase.Count(more, "more line"), width), Pen: st.Pens.Dim}}))
	}
	return out
}

// Head is like Lines, but returns the number of omitted lines instead of a line
// that says so.
func Head(st *ink.Styles, d event.Diff, width, limit int) (out []string, more int) {
	rows := readHunks(d.Unified)
	k := &drawing{st: st, rows: rows}
	k.readCode(d.Path, limit)
	parts, g := unifiedParts(rows), columnsFor(rows, width)
	draw := k.unified
	if s := splitFor(rows, width); s.text >= leastSplit && (st.Diffs == ink.Split || st.Diffs != ink.Unified && width >= roomy && bothSides(rows)) {
		parts, g, draw = splitParts(rows), s, k.split
	}
	for i, p := range parts {
		lines := draw(p, g)
		last := i == len(parts)-1
		if limit > 0 && len(out)+len(lines) > limit-1 && !(last && len(out)+len(lines) <= limit) {
			return out, len(parts) - i
		}
		out = append(out, lines...)
	}
	return out, 0
}

// couple is what stands beside each other in a diff: the indexes of a row of
// the old file and one of the new, negative where there is none.
type couple struct{ before, after int }

// unifiedParts sets one row below the other.
func unifiedParts(rows []row) []couple {
	parts := make([]couple, len(rows))
	for i := range rows {
		parts[i] = couple{i, -1}
	}
	return parts
}

// columns is the columns that the numbers of lines take, none if there is no
// room for them, and those that are left for text.
type columns struct{ numbers, text int }

// columnsFor returns the columns for rows drawn within width columns.
func columnsFor(rows []row, width int) columns {
	g := columns{numbers: numberWidth(rows)}
	const marks, leastText = 4, 16 // " │" before the mark, a blank after it
	g.text = width - g.numbers - marks
	if g.text < leastText {
		return columns{text: max(width-1, 1)}
	}
	return g
}

// numberWidth is that of the highest number of a line.
func numberWidth(rows []row) int {
	most := 0
	for _, r := range rows {
		most = max(most, r.before, r.after)
	}
	return len(strconv.Itoa(most))
}

// drawing draws the rows of a diff.
type drawing struct {
	st   *ink.Styles
	rows []row
	code [][]ink.Span // of each row, as far as it is known what its code means
}

// unified draws a row on its own.
func (k *drawing) unified(p couple, g columns) []string {
	r := k.rows[p.before]
	if r.mark == '@' {
		return []string{ink.Draw([]ink.Span{{Text: strings.Repeat(" ", g.numbers) + Between, Pen: k.st.Pens.Dim}})}
	}
	number := r.after
	if r.mark == '-' {
		number = r.before
	}
	mark, digits, look := r.sign(), numeral(number), k.look(r)
	var out []string
	for _, cut := range ink.CutSpans(k.line(p.before), g.text) {
		lead := []ink.Span{{Text: mark, Pen: look}}
		if g.numbers > 0 {
			lead = []ink.Span{{Text: fmt.Sprintf("%*s │", g.numbers, digits), Pen: k.st.Pens.Dim}, {Text: mark + " ", Pen: look}}
		}
		out = append(out, ink.Draw(append(lead, k.fill(r, cut, g.text)...)))
		mark, digits = " ", ""
	}
	return out
}

// sign is the mark of r as it is drawn.
func (r row) sign() string {
	if r.mark == '\\' {
		return " "
	}
	return string(r.mark)
}

func numeral(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// look is how the mark of r is drawn.
func (k *drawing) look(r row) ink.Pen {
	p := k.st.Pens
	switch r.mark {
	case '-':
		return p.Bad.And(p.BadRow)
	case '+':
		return p.Good.And(p.GoodRow)
	case '\\':
		return p.Dim
	}
	return ""
}

// fill paints what is left of a changed line's room, where it is painted.
func (k *drawing) fill(r row, line []ink.Span, width int) []ink.Span {
	row := map[byte]ink.Pen{'-': k.st.Pens.BadRow, '+': k.st.Pens.GoodRow}[r.mark]
	if left := width - ink.Width(line); row != "" && left > 0 {
		line = append(line, ink.Span{Text: strings.Repeat(" ", left), Pen: row})
	}
	return line
}

// line is the text of row i: in the colours of its code, on that of what became
// of it, with the words that changed.
func (k *drawing) line(i int) []ink.Span {
	r, p := k.rows[i], k.st.Pens
	shown, changed := k.words(i)
	code := []ink.Span{{Text: shown}}
	if i < len(k.code) && k.code[i] != nil && shown == r.shown() {
		code = k.code[i]
	}
	whole, row, word := ink.Pen(""), ink.Pen(""), ink.Pen("")
	switch r.mark {
	case '-':
		whole, row, word = p.Bad, p.BadRow, p.BadWord
	case '+':
		whole, row, word = p.Good, p.GoodRow, p.GoodWord
	case '\\':
		whole = p.Dim
	}
	return recolour(code, changed, func(own ink.Pen, changed bool) ink.Pen {
		switch {
		case row == "" && changed:
			return whole.And(ink.PenBold)
		case row == "" && (whole != "" || r.mark != ' '):
			return whole
		case row == "" && own == p.Literal:
			return "" // it would look like what was added
		case row == "":
			return own
		case own == "":
			own = p.Text
		}
		if changed {
			return own.And(word)
		}
		return own.And(row)
	})
}

// recolour draws spans anew, cut where a changed part of them begins or ends.
func recolour(spans []ink.Span, changed [][2]int, look func(own ink.Pen, changed bool) ink.Pen) []ink.Span {
	var out []ink.Span
	at := 0 // of the text, in bytes
	for _, sp := range spans {
		for rest := sp.Text; rest != ""; {
			for len(changed) > 0 && changed[0][1] <= at {
				changed = changed[1:]
			}
			n, in := len(rest), false
			if len(changed) > 0 {
				in = changed[0][0] <= at
				edge := changed[0][0]
				if in {
					edge = changed[0][1]
				}
				n = min(n, edge-at)
			}
			p := look(sp.Pen, in)
			if last := len(out) - 1; last >= 0 && out[last].Pen == p {
				out[last].Text += rest[:n]
			} else {
				out = append(out, ink.Span{Text: rest[:n], Pen: p})
			}
			rest, at = rest[n:], at+n
		}
	}
	return out
}
