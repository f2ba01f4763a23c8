//go:build unix

package blobs

import (
	"io/fs"
	"syscall"
)

// links returns the number of links of a file.
func links(info fs.FileInfo) uint64 { return uint64(info.Sys().(*syscall.Stat_t).Nlink) }
