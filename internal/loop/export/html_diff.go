package export

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"unicode"
)

// diffLine is a line of a hunk.
type diffLine struct {
	mark     byte // ' ', '-', '+'; '\\' for a note of diff, '@' between hunks
	number   int  // in the old file for removed lines, else in the new one
	text     string
	from, to int // the changed bytes of text, if they are marked
}

// diffHTML returns the hunks of a unified diff as HTML, with line numbers, colors and
// marks on the changed part of a line.
func diffHTML(unified string) template.HTML {
	rows := readHunks(clean(unified))
	markChanges(rows)
	var b strings.Builder
	for _, r := range rows {
		class := map[byte]string{'-': "del", '+': "ins", '@': "gap", '\\': "gap", ' ': "ctx"}[r.mark]
		number := ""
		if r.number > 0 {
			number = strconv.Itoa(r.number)
		}
		fmt.Fprintf(&b, `<span class="%s" data-n="%s">`, class, number)
		if r.mark != '@' {
			b.WriteByte(r.mark)
		}
		b.WriteString(template.HTMLEscapeString(r.text[:r.from]))
		if r.to > r.from {
			b.WriteString("<mark>" + template.HTMLEscapeString(r.text[r.from:r.to]) + "</mark>")
		}
		b.WriteString(template.HTMLEscapeString(r.text[r.to:]) + "\n</span>")
	}
	return template.HTML(b.String())
}

// readHunks parses the hunks of a unified diff. Invalid lines become unchanged lines.
func readHunks(unified string) []diffLine {
	var rows []diffLine
	before, after := 0, 0
	for line := range strings.SplitSeq(strings.TrimSuffix(unified, "\n"), "\n") {
		if strings.HasPrefix(line, "@@") {
			before, after = hunkStart(line)
			if len(rows) > 0 || before == 0 && after == 0 {
				rows = append(rows, diffLine{mark: '@', text: line})
			}
			continue
		}
		r := diffLine{mark: ' '}
		if line != "" {
			r.mark, r.text = line[0], line[1:]
		}
		switch r.mark {
		case '-':
			r.number = before
			before++
		case '+':
			r.number = after
			after++
		case '\\':
		default:
			if r.mark != ' ' {
				r.mark, r.text = ' ', line
			}
			r.number = after
			before++
			after++
		}
		rows = append(rows, r)
	}
	return rows
}

// hunkStart returns the first line of a hunk in both files: "@@ -41,2 +41,3 @@".
func hunkStart(header string) (before, after int) {
	for _, field := range strings.Fields(header) {
		sign, rest := field[0], field[1:]
		first, _, _ := strings.Cut(rest, ",")
		n, err := strconv.Atoi(first)
		switch {
		case err != nil:
		case sign == '-':
			before = n
		case sign == '+':
			after = n
		}
	}
	return before, after
}

// markChanges marks the changed parts of replaced lines. It pairs removed and added
// lines in order.
func markChanges(rows []diffLine) {
	for i := 0; i < len(rows); {
		removed := run(rows[i:], '-')
		if removed == 0 {
			i++
			continue
		}
		added := run(rows[i+removed:], '+')
		for j := i; j < i+min(removed, added); j++ {
			markPair(&rows[j], &rows[j+removed])
		}
		i += removed + added
	}
}

// run returns the number of leading rows with mark.
func run(rows []diffLine, mark byte) int {
	for i, r := range rows {
		if r.mark != mark {
			return i
		}
	}
	return len(rows)
}

// maxMarked is the length in bytes above which a line is not marked.
const maxMarked = 4 << 10

// markPair marks the part of two lines from the first to the last differing word,
// unless that is most of the line.
func markPair(before, after *diffLine) {
	if max(len(before.text), len(after.text)) > maxMarked {
		return
	}
	x, y := words(before.text), words(after.text)
	head := 0
	for head < len(x) && head < len(y) && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < len(x)-head && tail < len(y)-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	start, end := len(strings.Join(x[:head], "")), len(strings.Join(x[len(x)-tail:], ""))
	same := len(strings.TrimSpace(before.text[:start])) + len(strings.TrimSpace(before.text[len(before.text)-end:]))
	if same*3 < max(len(before.text), len(after.text)) {
		return
	}
	before.from, before.to = start, len(before.text)-end
	after.from, after.to = start, len(after.text)-end
}

// words splits a line into words and the single characters between them.
func words(s string) []string {
	var out []string
	inWord := false
	for _, r := range s {
		w := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
		if w && inWord {
			out[len(out)-1] += string(r)
		} else {
			out = append(out, string(r))
		}
		inWord = w
	}
	return out
}
