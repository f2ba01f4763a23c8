// Package textdiff compares texts. It is the only user of the diff library for unified
// diffs, whose line numbers it corrects.
package textdiff

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Unified returns the unified diff of two texts with three lines of context, between
// these labels; empty if they are equal.
func Unified(oldLabel, newLabel, before, after string) string {
	return renumber(udiff.Unified(oldLabel, newLabel, before, after))
}

// renumber sets the first line after the change in each header of a hunk. In version
// 0.4.1 of the library it is wrong if an earlier hunk joins several changes.
func renumber(diff string) string {
	var b strings.Builder
	b.Grow(len(diff))
	grown, inHunk := 0, false // grown is the number of lines that earlier hunks add
	for line := range strings.Lines(diff) {
		switch {
		case line[0] == '@':
			inHunk = true
			line = setStart(line, grown)
		case inHunk && line[0] == '+':
			grown++
		case inHunk && line[0] == '-':
			grown--
		}
		b.WriteString(line)
	}
	return b.String()
}

// setStart returns a header such as "@@ -7,10 +7,11 @@\n", in which the second range
// starts grown lines after the first. The range of an empty file stays.
func setStart(header string, grown int) string {
	f := strings.Fields(header)
	if len(f) != 4 {
		return header
	}
	from := 0
	if _, err := fmt.Sscanf(f[1], "-%d", &from); err != nil || from == 0 || strings.HasPrefix(f[2], "+0") {
		return header
	}
	start := fmt.Sprintf("+%d", from+grown)
	if _, count, ok := strings.Cut(f[2], ","); ok {
		start += "," + count
	}
	return strings.Join([]string{f[0], f[1], start, f[3]}, " ") + "\n"
}
