package tui

import (
	"fmt"
	"strconv"
	"strings"

	"agent/internal/loop"
)

// DiffLayout is how a diff is laid out.
type DiffLayout string

// The layouts of a diff. The zero DiffLayout is Auto.
const (
	Auto    DiffLayout = "auto"    // side by side where there is room
	Unified DiffLayout = "unified" // the lines that were removed above those that were added
	Split   DiffLayout = "split"   // side by side
)

// DiffStat tells the size of d: "+3 −1".
func DiffStat(d loop.Diff) string { return fmt.Sprintf("+%d −%d", d.Added, d.Removed) }

// DiffLines draws the hunks of d within width columns, of which it needs two:
// the number of each line, what became of it, and in a changed line the words
// that changed. Nothing is cut from a line: one that is too long goes on below.
// At most limit lines are drawn, unless limit is 0; the last then tells how many
// more there are.
func DiffLines(st *Styles, d loop.Diff, width, limit int) []string {
	rows := readHunks(d.Unified)
	markWords(rows)
	g := columnsFor(rows, width)
	var out []string
	for i, r := range rows {
		lines := r.draw(st, g)
		if limit > 0 && len(out)+len(lines) > limit-1 && !(i == len(rows)-1 && len(out)+len(lines) <= limit) {
			return append(out, drawSpans([]span{{text: Truncate("… "+count(len(rows)-i, "more line"), width), pen: st.pens.dim}}))
		}
		out = append(out, lines...)
	}
	return out
}

// diffRow is a line of a hunk.
type diffRow struct {
	mark   byte // ' ', '-', '+'; '\\' for a remark of diff's own, '@' between hunks
	number int  // in the old file of what was removed, else in the new one
	text   string
	words  []span // text, with pens where words changed; nil if it is not told
}

// readHunks reads the hunks of a unified diff. What does not look like one is
// taken for unchanged lines, so that it is drawn all the same.
func readHunks(unified string) []diffRow {
	var rows []diffRow
	before, after, left := 0, 0, 0
	for line := range strings.SplitSeq(strings.TrimSuffix(unified, "\n"), "\n") {
		if a, b, n, ok := hunkHeader(line); ok && left <= 0 {
			if len(rows) > 0 {
				rows = append(rows, diffRow{mark: '@'})
			}
			before, after, left = a, b, n
			continue
		}
		if line == "" {
			line = " " // an empty line whose blank was lost on the way
		}
		r := diffRow{mark: line[0], text: line[1:]}
		switch r.mark {
		case '-':
			r.number = before
			before++
			left--
		case '+':
			r.number = after
			after++
			left--
		case ' ':
			r.number = after
			before++
			after++
			left -= 2
		case '\\':
		default:
			r = diffRow{mark: ' ', text: line}
		}
		rows = append(rows, r)
	}
	return rows
}

// hunkHeader reads "@@ -41,2 +41,3 @@": where the hunk begins in both files,
// and how many lines of both it has.
func hunkHeader(line string) (before, after, lines int, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || fields[0] != "@@" || fields[3] != "@@" {
		return 0, 0, 0, false
	}
	before, n, ok := hunkRange(fields[1], "-")
	if !ok {
		return 0, 0, 0, false
	}
	after, m, ok := hunkRange(fields[2], "+")
	return before, after, n + m, ok
}

func hunkRange(s, sign string) (start, lines int, ok bool) {
	s, signed := strings.CutPrefix(s, sign)
	from, size, sized := strings.Cut(s, ",")
	start, err := strconv.Atoi(from)
	lines = 1
	if sized && err == nil {
		lines, err = strconv.Atoi(size)
	}
	return start, lines, signed && err == nil
}

// diffColumns is the columns that the numbers of lines take, none if there is no
// room for them, and those that are left for text.
type diffColumns struct{ numbers, text int }

// columnsFor returns the columns for rows drawn within width columns.
func columnsFor(rows []diffRow, width int) diffColumns {
	most := 0
	for _, r := range rows {
		most = max(most, r.number)
	}
	g := diffColumns{numbers: len(strconv.Itoa(most))}
	const marks, leastText = 4, 16 // " │" before the mark, a blank after it
	g.text = width - g.numbers - marks
	if g.text < leastText {
		return diffColumns{text: max(width-1, 1)}
	}
	return g
}

// draw returns the lines of r.
func (r diffRow) draw(st *Styles, g diffColumns) []string {
	if r.mark == '@' {
		return []string{drawSpans([]span{{text: strings.Repeat(" ", g.numbers) + "⋮", pen: st.pens.dim}})}
	}
	look := map[byte]pen{'-': st.pens.bad, '+': st.pens.good, '\\': st.pens.dim}[r.mark]
	line := r.words
	if line == nil {
		line = []span{{text: visible(r.mark, Sanitize(r.text))}}
	}
	for i := range line {
		line[i].pen = look.and(line[i].pen)
	}
	mark, number := string(r.mark), ""
	if r.number > 0 {
		number = strconv.Itoa(r.number)
	}
	if r.mark == '\\' {
		mark = " "
	}
	var out []string
	for _, cut := range cutSpans(line, g.text) {
		lead := []span{{text: mark, pen: look}}
		if g.numbers > 0 {
			lead = []span{{text: fmt.Sprintf("%*s │", g.numbers, number), pen: st.pens.dim}, {text: mark + " ", pen: look}}
		}
		out = append(out, drawSpans(append(lead, cut...)))
		mark, number = " ", ""
	}
	return out
}

// visible makes the blanks at the end of a changed line seen: they may be all
// that changed.
func visible(mark byte, text string) string {
	trimmed := strings.TrimRight(text, " ")
	if mark != '+' && mark != '-' || trimmed == text {
		return text
	}
	return trimmed + strings.Repeat("·", len(text)-len(trimmed))
}
