// Package diff draws the hunks of a unified diff, unified or side by side, with
// syntax highlighting and changed words emphasized. It never computes a diff. Start
// reading at Lines.
package diff

import (
	"fmt"
	"strconv"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// Stat returns the size of d: "+3 −1".
func Stat(d event.Diff) string { return fmt.Sprintf("+%d −%d", d.Added, d.Removed) }

// Hunks returns the number of hunks of d.
func Hunks(d event.Diff) int {
	n := 1
	for _, r := range readHunks(d.Unified) {
		if r.mark == '@' {
			n++
		}
	}
	return n
}

// Between is the text of the line between two hunks.
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
	if s := splitFor(rows, width); s.text >= leastSplit && (st.Diffs == ink.Split || st.Diffs != ink.Unified && width >= minSplitWidth && bothSides(rows)) {
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

// couple holds the indexes of an old and a new row that share a drawn line, negative
// for none.
type couple struct{ before, after int }

// unifiedParts returns the rows for the unified layout.
func unifiedParts(rows []row) []couple {
	parts := make([]couple, len(rows))
	for i := range rows {
		parts[i] = couple{i, -1}
	}
	return parts
}

// columns holds the width of the line numbers, 0 if they do not fit, and of the text.
type columns struct{ numbers, text int }

// columnsFor returns the columns for rows drawn within width columns.
func columnsFor(rows []row, width int) columns {
	g := columns{numbers: numberWidth(rows)}
	const marks, leastText = 4, 16 // " │" before the mark, a space after it
	g.text = width - g.numbers - marks
	if g.text < leastText {
		return columns{text: max(width-1, 1)}
	}
	return g
}

// numberWidth returns the width of the highest line number.
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
	code [][]ink.Span // highlighted code of each row; nil for plain text
}

// unified draws a row in the unified layout.
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

// sign returns the mark of r as it is drawn.
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

// look returns the pen for the mark of r.
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

// fill pads a changed line with its background, if it has one.
func (k *drawing) fill(r row, line []ink.Span, width int) []ink.Span {
	row := map[byte]ink.Pen{'-': k.st.Pens.BadRow, '+': k.st.Pens.GoodRow}[r.mark]
	if left := width - ink.Width(line); row != "" && left > 0 {
		line = append(line, ink.Span{Text: strings.Repeat(" ", left), Pen: row})
	}
	return line
}

// line returns the text of row i with syntax highlighting, the background of a
// changed line, and its changed words emphasized.
func (k *drawing) line(i int) []ink.Span {
	r, p := k.rows[i], k.st.Pens
	shown, changed := k.words(i)
	code := []ink.Span{{Text: shown}}
	if i < len(k.code) && k.code[i] != nil && shown == r.shown() {
		code = k.code[i]
	}
	plain, row, word := ink.Pen(""), ink.Pen(""), ink.Pen("")
	switch r.mark {
	case '-':
		plain, row, word = p.Bad, p.BadRow, p.BadWord
	case '+':
		plain, row, word = p.Good, p.GoodRow, p.GoodWord
	case '\\':
		plain = p.Dim
	}
	return recolor(code, changed, func(own ink.Pen, changed bool) ink.Pen {
		switch {
		case row == "" && changed:
			return plain.And(ink.PenBold)
		case row == "" && (plain != "" || r.mark != ' '):
			return plain
		case row == "" && own == p.Literal:
			return "" // green would look like an added line
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

// recolor splits spans at the ends of the changed ranges and replaces their pens by look.
func recolor(spans []ink.Span, changed [][2]int, look func(own ink.Pen, changed bool) ink.Pen) []ink.Span {
	var out []ink.Span
	at := 0 // byte offset in the text
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
