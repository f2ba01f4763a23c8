//go:build unix

package tools

import "strings"

// quote returns s as one word of a shell command.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
