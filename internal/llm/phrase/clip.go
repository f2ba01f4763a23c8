package phrase

import "strings"

// Clip returns the beginning of a text of more than n bytes, with an ellipsis.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
