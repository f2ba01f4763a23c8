//go:build !linux

package workspace

import "os"

// CopyAttributes does nothing: only mode and group are copied on this system.
func CopyAttributes(*os.Root, string, *os.File) []string { return nil }
