//go:build unix

package tools

import "strings"

// quote makes s one word of a command, whatever is in it.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
