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
	mark     byte // ' ', '-', '+'; '\\' for a remark of diff's own, '@' between hunks
	number   int  // in the old file of what was removed, else in the new one
	text     string
	from, to int // the bytes of text that changed, where that is told
}

// diffHTML draws the hunks of a unified diff: numbers, colours, and in a
// changed line the part that changed.
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

// readHunks reads the hunks of a unified diff. What does not look like one is
// taken for unchanged lines, so that it is drawn all the same.
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

// hunkStart reads where a hunk begins in both files: "@@ -41,2 +41,3 @@".
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

// markChanges finds, where lines were replaced by others, what changed in each.
// The first is taken to have become the first, and so on.
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

// run returns how many rows from the first on have mark.
func run(rows []diffLine, mark byte) int {
	for i, r := range rows {
		if r.mark != mark {
			return i
		}
	}
	return len(rows)
}

// maxMarked is how long a line may be, in bytes, for it to be told what changed
// in it.
const maxMarked = 4 << 10

// markPair marks what two lines do not have in common, from the first word that
// differs to the last, unless that is most of them.
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

// words cuts a line into words, and the single characters between them.
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
