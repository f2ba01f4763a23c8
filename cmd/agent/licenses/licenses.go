// Package licenses holds the licenses of the libraries that are linked into the program.
package licenses

import _ "embed"

//go:embed notices.txt
var notices string

// Notices returns the name, version and license of each library, and of Go itself, as plain text.
func Notices() string { return notices }
