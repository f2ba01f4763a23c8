package shell

import "strings"

// Quote returns the path s as one word of a command line. Paths on Windows
// contain no quotes.
func Quote(s string) string { return `"` + strings.ReplaceAll(s, "%", `"^%"`) + `"` }
