package tools

import "strings"

// quote returns the path s as one word of a command line. Paths on Windows
// contain no quotes.
func quote(s string) string { return `"` + strings.ReplaceAll(s, "%", `"^%"`) + `"` }
