//go:build !linux

package workspace

import "os"

// copyAttributes does nothing: only mode and group are copied on this system.
func (t *tree) copyAttributes(*os.File, string) {}
