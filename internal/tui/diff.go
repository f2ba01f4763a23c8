package tui

import (
	"fmt"
	"strconv"
	"strings"

	"agent/internal/loop"
)

// DiffStat tells the size of d: "+3 −1".
func DiffStat(d loop.Diff) string { return fmt.Sprintf("+%d −%d", d.Added, d.Removed) }

// DiffLines draws the hunks of d within width columns, of which it needs two:
// the number of each line, what became of it, and in a changed line the words
// that changed; side by side if st says so or if there is room. Nothing is cut
// from a line: one that is too long goes on below. At most limit lines are
// drawn, unless limit is 0; the last then tells how many more there are.
func DiffLines(st *Styles, d loop.Diff, width, limit int) []string {
	rows := readHunks(d.Unified)
	k := &diffInk{st: st, rows: rows}
	k.readCode(d.Path, limit)
	parts, g := unifiedParts(rows), columnsFor(rows, width)
	draw := k.unified
	if s := splitFor(rows, width); s.text >= leastSplit && (st.diffs == Split || st.diffs != Unified && width >= roomy && bothSides(rows)) {
		parts, g, draw = splitParts(rows), s, k.split
	}
	var out []string
	for i, p := range parts {
		lines := draw(p, g)
		last := i == len(parts)-1
		if limit > 0 && len(out)+len(lines) > limit-1 && !(last && len(out)+len(lines) <= limit) {
			return append(out, drawSpans([]span{{text: Truncate(moreLines(len(parts)-i), width), pen: st.pens.dim}}))
		}
		out = append(out, lines...)
	}
	return out
}

// moreLines tells of lines that are not drawn.
func moreLines(n int) string {
	if n == 1 {
		return "… 1 more line"
	}
	return fmt.Sprintf("… %d more lines", n)
}

// diffPart is what stands beside each other in a diff: the indexes of a row of
// the old file and one of the new, negative where there is none.
type diffPart struct{ before, after int }

// unifiedParts sets one row below the other.
func unifiedParts(rows []diffRow) []diffPart {
	parts := make([]diffPart, len(rows))
	for i := range rows {
		parts[i] = diffPart{i, -1}
	}
	return parts
}

// diffColumns is the columns that the numbers of lines take, none if there is no
// room for them, and those that are left for text.
type diffColumns struct{ numbers, text int }

// columnsFor returns the columns for rows drawn within width columns.
func columnsFor(rows []diffRow, width int) diffColumns {
	g := diffColumns{numbers: numberWidth(rows)}
	const marks, leastText = 4, 16 // " │" before the mark, a blank after it
	g.text = width - g.numbers - marks
	if g.text < leastText {
		return diffColumns{text: max(width-1, 1)}
	}
	return g
}

// numberWidth is that of the highest number of a line.
func numberWidth(rows []diffRow) int {
	most := 0
	for _, r := range rows {
		most = max(most, r.before, r.after)
	}
	return len(strconv.Itoa(most))
}

// diffInk draws the rows of a diff.
type diffInk struct {
	st   *Styles
	rows []diffRow
	code [][]span // of each row, as far as it is known what its code means
}

// unified draws a row on its own.
func (k *diffInk) unified(p diffPart, g diffColumns) []string {
	r := k.rows[p.before]
	if r.mark == '@' {
		return []string{drawSpans([]span{{text: strings.Repeat(" ", g.numbers) + "⋮", pen: k.st.pens.dim}})}
	}
	number := r.after
	if r.mark == '-' {
		number = r.before
	}
	mark, digits, look := r.sign(), numeral(number), k.look(r)
	var out []string
	for _, cut := range cutSpans(k.line(p.before), g.text) {
		lead := []span{{text: mark, pen: look}}
		if g.numbers > 0 {
			lead = []span{{text: fmt.Sprintf("%*s │", g.numbers, digits), pen: k.st.pens.dim}, {text: mark + " ", pen: look}}
		}
		out = append(out, drawSpans(append(lead, k.fill(r, cut, g.text)...)))
		mark, digits = " ", ""
	}
	return out
}

// sign is the mark of r as it is drawn.
func (r diffRow) sign() string {
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
func (k *diffInk) look(r diffRow) pen {
	p := k.st.pens
	switch r.mark {
	case '-':
		return p.bad.and(p.badRow)
	case '+':
		return p.good.and(p.goodRow)
	case '\\':
		return p.dim
	}
	return ""
}

// fill paints what is left of a changed line's room, where it is painted.
func (k *diffInk) fill(r diffRow, line []span, width int) []span {
	row := map[byte]pen{'-': k.st.pens.badRow, '+': k.st.pens.goodRow}[r.mark]
	if left := width - spansWidth(line); row != "" && left > 0 {
		line = append(line, span{text: strings.Repeat(" ", left), pen: row})
	}
	return line
}

// line is the text of row i: in the colours of its code, on that of what became
// of it, with the words that changed.
func (k *diffInk) line(i int) []span {
	r, p := k.rows[i], k.st.pens
	shown, changed := k.words(i)
	code := []span{{text: shown}}
	if i < len(k.code) && k.code[i] != nil && shown == r.shown() {
		code = k.code[i]
	}
	whole, row, word := pen(""), pen(""), pen("")
	switch r.mark {
	case '-':
		whole, row, word = p.bad, p.badRow, p.badWord
	case '+':
		whole, row, word = p.good, p.goodRow, p.goodWord
	case '\\':
		whole = p.dim
	}
	return recolour(code, changed, func(own pen, changed bool) pen {
		switch {
		case row == "" && changed:
			return whole.and(penBold)
		case row == "" && (whole != "" || r.mark != ' '):
			return whole
		case row == "" && own == p.literal:
			return "" // it would look like what was added
		case row == "":
			return own
		case own == "":
			own = p.text
		}
		if changed {
			return own.and(word)
		}
		return own.and(row)
	})
}

// recolour draws spans anew, cut where a changed part of them begins or ends.
func recolour(spans []span, changed [][2]int, look func(own pen, changed bool) pen) []span {
	var out []span
	at := 0 // of the text, in bytes
	for _, sp := range spans {
		for rest := sp.text; rest != ""; {
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
			p := look(sp.pen, in)
			if last := len(out) - 1; last >= 0 && out[last].pen == p {
				out[last].text += rest[:n]
			} else {
				out = append(out, span{text: rest[:n], pen: p})
			}
			rest, at = rest[n:], at+n
		}
	}
	return out
}
