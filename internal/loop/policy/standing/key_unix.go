//go:build unix

package standing

import (
	"io/fs"
	"os"
	"syscall"
)

// keyFlags opens a key file without following symbolic links and without blocking on a FIFO.
const keyFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// private reports whether only the user owns and can access a file.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
