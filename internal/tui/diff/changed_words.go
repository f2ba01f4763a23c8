package diff

import (
	"slices"
	"strings"
	"unicode"

	"agent/internal/tui/ink"
)

// maxWords is the number of words in a line above which changed words are not
// computed.
const maxWords = 400

// run returns the number of leading rows with that mark.
func run(rows []row, mark byte) int {
	if n := slices.IndexFunc(rows, func(r row) bool { return r.mark != mark }); n >= 0 {
		return n
	}
	return len(rows)
}

// words returns row i as it is shown and its changed ranges. There are none if most
// of the line changed.
func (k *drawing) words(i int) (shown string, changed [][2]int) {
	r := k.rows[i]
	if r.mate == i {
		return r.shown(), nil
	}
	mate := k.rows[r.mate]
	a, b := ink.Sanitize(r.text), ink.Sanitize(mate.text)
	if a == b { // they differ only in tabs and spaces
		a = ink.Sanitize(strings.ReplaceAll(r.text, "\t", "→"))
		b = ink.Sanitize(strings.ReplaceAll(mate.text, "\t", "→"))
	}
	shown = visible(r.mark, a)
	x, y := cutWords(shown), cutWords(visible(mate.mark, b))
	if len(x) > maxWords || len(y) > maxWords {
		return shown, nil
	}
	keepX, keepY := common(x, y)
	if r.mark == '+' {
		if !alike(y, keepY) {
			return shown, nil
		}
	} else if !alike(x, keepX) {
		return shown, nil
	}
	return shown, changedParts(x, keepX)
}

// alike reports whether at least half of the non-blank text was kept.
func alike(words []string, kept []bool) bool {
	same, all := 0, 0
	for i, w := range words {
		if strings.TrimSpace(w) == "" {
			continue
		}
		all += len(w)
		if kept[i] {
			same += len(w)
		}
	}
	return same*2 >= all
}

// cutWords splits s into words, runs of spaces, and other single characters.
func cutWords(s string) []string {
	class := func(r rune) int {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
			return 1
		case r == ' ':
			return 2
		}
		return 0
	}
	var out []string
	from, last := 0, 0
	for i, r := range s {
		c := class(r)
		if i > from && (c == 0 && !unicode.In(r, unicode.Cf) || c != last) {
			out = append(out, s[from:i])
			from = i
		}
		last = c
	}
	if from < len(s) {
		out = append(out, s[from:])
	}
	return out
}

// common reports which words of x and y are in their longest common subsequence.
func common(x, y []string) (inX, inY []bool) {
	inX, inY = make([]bool, len(x)), make([]bool, len(y))
	last := func(n int) (i, j int) { return len(x) - 1 - n, len(y) - 1 - n }
	head, tail := 0, 0 // lengths of the common prefix and suffix
	for head < min(len(x), len(y)) && x[head] == y[head] {
		inX[head], inY[head] = true, true
		head++
	}
	for tail < min(len(x), len(y))-head {
		i, j := last(tail)
		if x[i] != y[j] {
			break
		}
		inX[i], inY[j] = true, true
		tail++
	}
	middle(x[head:len(x)-tail], y[head:len(y)-tail], inX[head:], inY[head:])
	return inX, inY
}

// middle is common without the common prefix and suffix.
func middle(x, y []string, inX, inY []bool) {
	length := make([][]int, len(x)+1) // length[i][j] is for x[i:] and y[j:]
	for i := range length {
		length[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			inX[i], inY[j] = true, true
			i++
			j++
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
}

// changedParts returns the byte ranges of the words that are not kept.
func changedParts(words []string, kept []bool) [][2]int {
	var out [][2]int
	at := 0
	for i, w := range words {
		end := at + len(w)
		switch n := len(out); {
		case kept[i]:
		case n > 0 && out[n-1][1] == at:
			out[n-1][1] = end
		default:
			out = append(out, [2]int{at, end})
		}
		at = end
	}
	return out
}
