package tools

import "strings"

// quote makes s, a path, one word of a command. No path holds a quote there.
func quote(s string) string { return `"` + strings.ReplaceAll(s, "%", `"^%"`) + `"` }
