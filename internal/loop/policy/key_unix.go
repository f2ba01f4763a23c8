//go:build unix

package policy

import (
	"io/fs"
	"os"
	"syscall"
)

// keyFlags open a key file without following a link, and openFlags any file
// without waiting for a FIFO.
const (
	keyFlags  = syscall.O_NOFOLLOW | openFlags
	openFlags = syscall.O_NONBLOCK
)

// private reports whether a file belongs to the user and nobody else has access
// to it.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
