package diff

import (
	"fmt"
	"strings"

	"agent/internal/tui/ink"
)

const (
	minSplitWidth = 112 // minimum width for the automatic split layout
	leastSplit    = 20  // minimum text columns on each side
	splitMarks    = 3   // space, mark and space between number and text
	splitRule     = " │ "
)

// splitFor returns the columns of each side for a total width.
func splitFor(rows []row, width int) columns {
	g := columns{numbers: numberWidth(rows)}
	g.text = (width-len([]rune(splitRule)))/2 - g.numbers - splitMarks
	return g
}

// bothSides reports whether any row was replaced, so that a split layout is useful.
func bothSides(rows []row) bool {
	for i, r := range rows {
		if r.mate != i {
			return true
		}
	}
	return false
}

// splitParts returns the rows for the split layout.
func splitParts(rows []row) []couple {
	var parts []couple
	for i, r := range rows {
		switch {
		case r.mark == '-':
			after := -1
			if r.mate != i {
				after = r.mate
			}
			parts = append(parts, couple{i, after})
		case r.mark == '+' && r.mate != i: // drawn with its mate
		case r.mark == '+', r.mark == '\\' && i > 0 && rows[i-1].mark == '+':
			parts = append(parts, couple{-1, i})
		case r.mark == '\\' && i > 0 && rows[i-1].mark == '-':
			parts = append(parts, couple{i, -1})
		default:
			parts = append(parts, couple{i, i})
		}
	}
	return parts
}

// split draws two rows side by side.
func (k *drawing) split(p couple, g columns) []string {
	if p.before >= 0 && k.rows[p.before].mark == '@' {
		return []string{ink.Draw([]ink.Span{{Text: strings.Repeat(" ", g.numbers) + Between, Pen: k.st.Pens.Dim}})}
	}
	left, right := k.side(p.before, g, false), k.side(p.after, g, true)
	rule := ink.Span{Text: splitRule, Pen: k.st.Pens.Dim}
	blank := ink.Span{Text: strings.Repeat(" ", g.numbers+splitMarks+g.text)}
	var out []string
	for i := range max(len(left), len(right)) {
		line := []ink.Span{blank}
		if i < len(left) {
			line = append(left[i], ink.Span{Text: strings.Repeat(" ", g.numbers+splitMarks+g.text-ink.Width(left[i]))})
		}
		line = append(line, rule)
		if i < len(right) {
			line = append(line, right[i]...)
		}
		out = append(out, ink.Draw(line))
	}
	return out
}

// side draws row i on one side, or nothing if i is negative.
func (k *drawing) side(i int, g columns, after bool) [][]ink.Span {
	if i < 0 {
		return nil
	}
	r := k.rows[i]
	number := r.before
	if after {
		number = r.after
	}
	mark, digits, look := r.sign(), numeral(number), k.look(r)
	var out [][]ink.Span
	for _, cut := range ink.CutSpans(k.line(i), g.text) {
		lead := []ink.Span{{Text: fmt.Sprintf("%*s ", g.numbers, digits), Pen: k.st.Pens.Dim}, {Text: mark + " ", Pen: look}}
		out = append(out, append(lead, k.fill(r, cut, g.text)...))
		mark, digits = " ", ""
	}
	return out
}
