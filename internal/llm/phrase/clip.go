package phrase

import "strings"

// Clip returns s, or its first n bytes and an ellipsis if s is longer.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
