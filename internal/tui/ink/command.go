package ink

import (
	"fmt"
	"strings"
)

const (
	widestGap    = 16 // spaces between two words of a command that are drawn as they are
	widestIndent = 48 // the same at the start of a line
	mostBlank    = 3  // blank lines in a row that are drawn as they are
)

// WrapExact draws a command, whole, so that nothing in it is hidden: characters that
// a terminal would not show as they are become escapes, and space in which text
// could hide is counted.
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

// blankLines are n blank lines, or a line that counts them.
func blankLines(n int) []string {
	if n > mostBlank {
		return []string{fmt.Sprintf("··· %d blank lines", n)}
	}
	return make([]string, n)
}

// MarkSpaces counts the spaces of a line where there are many, and those at its end.
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
