package tui

import (
	"fmt"
	"strings"
)

const (
	roomy      = 112 // columns from which a diff is drawn side by side
	leastSplit = 20  // columns of text on either side, at the least
	splitMarks = 3   // a blank, the mark and a blank, between number and text
	splitRule  = " │ "
)

// splitFor returns the columns of either side within width columns.
func splitFor(rows []diffRow, width int) diffColumns {
	g := diffColumns{numbers: numberWidth(rows)}
	g.text = (width-len([]rune(splitRule)))/2 - g.numbers - splitMarks
	return g
}

// bothSides reports whether there is anything to set side by side.
func bothSides(rows []diffRow) bool {
	for i, r := range rows {
		if r.mate != i {
			return true
		}
	}
	return false
}

// splitParts sets the rows of the old file beside those of the new one.
func splitParts(rows []diffRow) []diffPart {
	var parts []diffPart
	for i, r := range rows {
		switch {
		case r.mark == '-':
			after := -1
			if r.mate != i {
				after = r.mate
			}
			parts = append(parts, diffPart{i, after})
		case r.mark == '+' && r.mate != i: // stands beside what it was
		case r.mark == '+', r.mark == '\\' && i > 0 && rows[i-1].mark == '+':
			parts = append(parts, diffPart{-1, i})
		case r.mark == '\\' && i > 0 && rows[i-1].mark == '-':
			parts = append(parts, diffPart{i, -1})
		default:
			parts = append(parts, diffPart{i, i})
		}
	}
	return parts
}

// split draws two rows side by side.
func (k *diffInk) split(p diffPart, g diffColumns) []string {
	if p.before >= 0 && k.rows[p.before].mark == '@' {
		return []string{drawSpans([]span{{text: strings.Repeat(" ", g.numbers) + "⋮", pen: k.st.pens.dim}})}
	}
	left, right := k.side(p.before, g, false), k.side(p.after, g, true)
	rule := span{text: splitRule, pen: k.st.pens.dim}
	blank := span{text: strings.Repeat(" ", g.numbers+splitMarks+g.text)}
	var out []string
	for i := range max(len(left), len(right)) {
		line := []span{blank}
		if i < len(left) {
			line = append(left[i], span{text: strings.Repeat(" ", g.numbers+splitMarks+g.text-spansWidth(left[i]))})
		}
		line = append(line, rule)
		if i < len(right) {
			line = append(line, right[i]...)
		}
		out = append(out, drawSpans(line))
	}
	return out
}

// side draws one side of a pair: row i, or nothing where that is negative.
func (k *diffInk) side(i int, g diffColumns, after bool) [][]span {
	if i < 0 {
		return nil
	}
	r := k.rows[i]
	number := r.before
	if after {
		number = r.after
	}
	mark, digits, look := r.sign(), numeral(number), k.look(r)
	var out [][]span
	for _, cut := range cutSpans(k.line(i), g.text) {
		lead := []span{{text: fmt.Sprintf("%*s ", g.numbers, digits), pen: k.st.pens.dim}, {text: mark + " ", pen: look}}
		out = append(out, append(lead, k.fill(r, cut, g.text)...))
		mark, digits = " ", ""
	}
	return out
}
