//go:build !linux

package workspace

import "os"

// isMountPoint returns false: only Linux tells.
func isMountPoint(*os.File, string) bool { return false }
