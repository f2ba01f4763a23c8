//go:build unix

package tempdir

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lock locks a directory until unlock is called: alone, or together with others. It reports
// whether that succeeded at once.
func lock(dir string, alone bool) (unlock func(), ok bool) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, false
	}
	how := unix.LOCK_SH
	if alone {
		how = unix.LOCK_EX
	}
	if unix.Flock(fd, how|unix.LOCK_NB) != nil {
		_ = unix.Close(fd)
		return nil, false
	}
	return func() { _ = unix.Close(fd) }, true
}

// isOwn reports whether a file belongs to the user.
func isOwn(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}
