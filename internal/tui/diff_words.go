package tui

import (
	"slices"
	"strings"
	"unicode"
)

// maxWords is the number of words in a line above which it is not told which
// of them changed.
const maxWords = 400

// markWords finds, where lines were replaced by others, the words that changed
// in each. The first is taken to have become the first, and so on.
func markWords(rows []diffRow) {
	for i := 0; i < len(rows); {
		if rows[i].mark != '-' {
			i++
			continue
		}
		removed := run(rows[i:], '-')
		added := run(rows[i+removed:], '+')
		for j := i; j < i+min(removed, added); j++ {
			markPair(&rows[j], &rows[j+removed])
		}
		i += removed + added
	}
}

// run returns how many rows have mark before one that has not.
func run(rows []diffRow, mark byte) int {
	if n := slices.IndexFunc(rows, func(r diffRow) bool { return r.mark != mark }); n >= 0 {
		return n
	}
	return len(rows)
}

// markPair marks the words that differ between two lines, unless so few are the
// same that it would say nothing.
func markPair(before, after *diffRow) {
	a, b := Sanitize(before.text), Sanitize(after.text)
	if a == b { // they differ in what Sanitize makes alike: tabs and blanks
		a = Sanitize(strings.ReplaceAll(before.text, "\t", "→"))
		b = Sanitize(strings.ReplaceAll(after.text, "\t", "→"))
	}
	x, y := words(visible('-', a)), words(visible('+', b))
	if len(x) > maxWords || len(y) > maxWords {
		return
	}
	keepX, keepY := common(x, y)
	kept, all := 0, 0
	for i, w := range x {
		if strings.TrimSpace(w) == "" {
			continue
		}
		all += len(w)
		if keepX[i] {
			kept += len(w)
		}
	}
	if kept*2 < all {
		return
	}
	before.words, after.words = boldWhere(x, keepX), boldWhere(y, keepY)
}

// words cuts s into words, runs of blanks, and single characters between them.
func words(s string) []string {
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
	last := 0
	for _, r := range s {
		c := class(r)
		if len(out) == 0 || c == 0 && !unicode.In(r, unicode.Cf) || c != last {
			out = append(out, "")
		}
		out[len(out)-1] += string(r)
		last = c
	}
	return out
}

// common says which of the words of x and y are in their longest common
// subsequence.
func common(x, y []string) (inX, inY []bool) {
	inX, inY = make([]bool, len(x)), make([]bool, len(y))
	length := make([][]int, len(x)+1) // of that of x[i:] and y[j:]
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
	return inX, inY
}

// boldWhere returns words with those bold that are not kept.
func boldWhere(words []string, kept []bool) []span {
	var out []span
	for i, w := range words {
		p := penBold
		if kept[i] {
			p = ""
		}
		if n := len(out); n > 0 && out[n-1].pen == p {
			out[n-1].text += w
			continue
		}
		out = append(out, span{text: w, pen: p})
	}
	return out
}
