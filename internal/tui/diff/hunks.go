package diff

import (
	"slices"
	"strconv"
	"strings"

	"agent/internal/tui/ink"
)

// row is a line of a hunk.
type row struct {
	mark          byte // ' ', '-' or '+'; '\\' for a remark of diff, '@' between hunks
	before, after int  // line numbers in the old and the new file, 0 if absent
	text          string
	mate          int // index of the row that it was changed into or from; its own index for none
}

// shown returns the text as it is drawn.
func (r row) shown() string { return visible(r.mark, ink.Sanitize(r.text)) }

// readHunks parses the hunks of a unified diff. It returns invalid lines as unchanged
// lines, so that they are drawn.
func readHunks(unified string) []row {
	var rows []row
	before, after, left := 0, 0, 0
	for line := range strings.SplitSeq(strings.TrimSuffix(HideMark(unified), "\n"), "\n") {
		if a, b, n, ok := hunkHeader(line); ok && left <= 0 {
			if len(rows) > 0 {
				rows = append(rows, row{mark: '@'})
			}
			before, after, left = a, b, n
			continue
		}
		if line == "" {
			line = " " // an empty line that lost its leading space
		}
		r := row{mark: line[0], text: line[1:]}
		switch r.mark {
		case '-':
			r.before = before
			before++
			left--
		case '+':
			r.after = after
			after++
			left--
		case ' ':
			r.before, r.after = before, after
			before++
			after++
			left -= 2
		case '\\':
		default:
			r = row{mark: ' ', text: line}
		}
		rows = append(rows, r)
	}
	pair(rows)
	return rows
}

// HideMark removes the byte order mark from the first line of both files of a unified diff.
// It keeps a mark that only one of them has, which is a change.
func HideMark(unified string) string {
	const mark = "\ufeff"
	if !strings.Contains(unified, mark) {
		return unified
	}
	lines := strings.SplitAfter(unified, "\n")
	if before, after, _, ok := hunkHeader(lines[0]); !ok || before != 1 || after != 1 {
		return unified
	}
	first := func(sign string) int {
		return slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, " ") || strings.HasPrefix(l, sign) })
	}
	for _, i := range []int{first("-"), first("+")} {
		if i < 0 || !strings.HasPrefix(lines[i][1:], mark) {
			return unified
		}
	}
	for _, i := range []int{first("-"), first("+")} {
		lines[i] = lines[i][:1] + strings.TrimPrefix(lines[i][1:], mark)
	}
	return strings.Join(lines, "")
}

// pair sets the mates of replaced lines: the first removed line is paired with the
// first added one, and so on.
func pair(rows []row) {
	for i := range rows {
		rows[i].mate = i
	}
	for i := 0; i < len(rows); {
		if rows[i].mark != '-' {
			i++
			continue
		}
		removed := run(rows[i:], '-')
		added := run(rows[i+removed:], '+')
		for j := i; j < i+min(removed, added); j++ {
			rows[j].mate, rows[j+removed].mate = j+removed, j
		}
		i += removed + added
	}
}

// hunkHeader parses "@@ -41,2 +41,3 @@": the start of the hunk in both files and the
// sum of its line counts.
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

// visible replaces trailing spaces of a changed line by dots, because they may be the
// only change.
func visible(mark byte, text string) string {
	trimmed := strings.TrimRight(text, " ")
	if mark != '+' && mark != '-' || trimmed == text {
		return text
	}
	return trimmed + strings.Repeat("·", len(text)-len(trimmed))
}
