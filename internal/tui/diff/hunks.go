package diff

import (
	"strconv"
	"strings"

	"agent/internal/tui/ink"
)

// row is a line of a hunk.
type row struct {
	mark          byte // ' ', '-', '+'; '\\' for a remark of diff's own, '@' between hunks
	before, after int  // its number in the old file and in the new one, 0 where it is not in it
	text          string
	mate          int // the row that it was changed into or from; itself if there is none
}

// shown is the text as it is drawn.
func (r row) shown() string { return visible(r.mark, ink.Sanitize(r.text)) }

// readHunks reads the hunks of a unified diff. What does not look like one is
// taken for unchanged lines, so that it is drawn all the same.
func readHunks(unified string) []row {
	var rows []row
	before, after, left := 0, 0, 0
	for line := range strings.SplitSeq(strings.TrimSuffix(unified, "\n"), "\n") {
		if a, b, n, ok := hunkHeader(line); ok && left <= 0 {
			if len(rows) > 0 {
				rows = append(rows, row{mark: '@'})
			}
			before, after, left = a, b, n
			continue
		}
		if line == "" {
			line = " " // an empty line whose blank was lost on the way
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

// pair finds, where lines were replaced by others, which became which. The first
// is taken to have become the first, and so on.
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

// visible makes the blanks at the end of a changed line seen: they may be all
// that changed.
func visible(mark byte, text string) string {
	trimmed := strings.TrimRight(text, " ")
	if mark != '+' && mark != '-' || trimmed == text {
		return text
	}
	return trimmed + strings.Repeat("·", len(text)-len(trimmed))
}
