//go:build !linux

package filelock

import "os"

// Datasync returns when the content and the size of f would survive a power failure. It
// syncs everything, because there is no cheaper call.
func Datasync(f *os.File) error { return f.Sync() }
