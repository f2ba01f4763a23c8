//go:build !linux

package tools

import "os"

// keepAttributes does nothing: only mode and group are kept here.
func (w *Workspace) keepAttributes(*os.File, string) {}
