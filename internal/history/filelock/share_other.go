//go:build !linux

package filelock

import "os"

// Share does nothing: only Linux has locks of bytes that belong to an open file.
func Share(*os.File, int64) error { return nil }

// Shared returns false.
func Shared(*os.File, int64) (bool, error) { return false, nil }
