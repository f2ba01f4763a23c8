//go:build !linux

package filelock

import "os"

// Datasync makes the content and the size of f durable. It syncs everything, because
// there is no cheaper call.
func Datasync(f *os.File) error { return f.Sync() }
