//go:build unix

package shell

import "strings"

// Quote returns s as one word of a shell command.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
