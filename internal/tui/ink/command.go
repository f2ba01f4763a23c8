package ink

import (
	"fmt"
	"strings"
)

const (
	widestGap    = 16 // longest run of spaces between words that is drawn unmarked
	widestIndent = 48 // longest indentation that is drawn unmarked
	mostBlank    = 3  // longest run of blank lines that is drawn unmarked
)

// WrapExact wraps a complete command so that nothing in it is hidden: characters
// that a terminal does not show become escapes, and long runs of space are replaced
// by their length.
func WrapExact(command string, width int) []string {
	var out []string
	blank := 0
	for line := range strings.SplitSeq(strings.TrimSuffix(command, "\n"), "\n") {
		if line == "" {
			blank++
			continue
		}
		out = append(append(out, blankLines(blank)...), Wrap(MarkSpaces(Exact(line)), width)...)
		blank = 0
	}
	return append(out, blankLines(blank)...)
}

// blankLines returns n blank lines, or one line that counts them.
func blankLines(n int) []string {
	if n > mostBlank {
		return []string{fmt.Sprintf("··· %d blank lines", n)}
	}
	return make([]string, n)
}

// MarkSpaces replaces long runs of spaces in line by their length, and marks trailing ones.
func MarkSpaces(line string) string {
	text := strings.TrimRight(line, " ")
	after := len(line) - len(text)
	var b strings.Builder
	for rest := text; rest != ""; {
		word := strings.TrimLeft(rest, " ")
		n, most := len(rest)-len(word), widestGap
		if len(rest) == len(text) {
			most = widestIndent
		}
		if n > most {
			fmt.Fprintf(&b, " ··· %d spaces ", n)
		} else {
			b.WriteString(rest[:n])
		}
		end := strings.IndexByte(word, ' ')
		if end < 0 {
			end = len(word)
		}
		b.WriteString(word[:end])
		rest = word[end:]
	}
	switch {
	case after > mostBlank:
		fmt.Fprintf(&b, " ··· %d spaces", after)
	case after > 0:
		b.WriteString(strings.Repeat("·", after))
	}
	return b.String()
}
