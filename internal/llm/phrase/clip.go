package phrase

import "strings"

// Clip returns s, or its first n bytes and an ellipsis if s is longer.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// OneLine is like Clip for s on one line, with single spaces between its words.
func OneLine(s string, n int) string { return Clip(strings.Join(strings.Fields(s), " "), n) }
