//go:build unix

package credentials

import (
	"io/fs"
	"os"
	"syscall"
)

// privateFlags opens no symbolic link, and does not block on a FIFO.
const privateFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// owned reports whether a file belongs to the user.
func owned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// private reports whether only the owner of a file can access it.
func private(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }
