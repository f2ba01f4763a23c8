//go:build unix

package credentials

import (
	"io/fs"
	"os"
	"syscall"
)

// privateFlags opens no symbolic link, and does not block on a FIFO.
const privateFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// private reports whether only the user owns and can access a file.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
