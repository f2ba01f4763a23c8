//go:build !linux

package workspace

import "os"

// keepAttributes does nothing: only mode and group are kept here.
func (t *tree) keepAttributes(*os.File, string) {}
