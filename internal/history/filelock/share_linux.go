package filelock

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Share locks one byte of f, which need not exist, until f is closed. Any number of open
// files can share the lock. It is independent of Try and Await.
func Share(f *os.File, at int64) error {
	return setByte(f, unix.F_OFD_SETLK, byteLock(unix.F_RDLCK, at))
}

// Shared reports whether another open file holds the lock of Share.
func Shared(f *os.File, at int64) (bool, error) {
	l := byteLock(unix.F_WRLCK, at)
	err := setByte(f, unix.F_OFD_GETLK, l)
	return err == nil && l.Type != unix.F_UNLCK, err
}

func byteLock(kind int16, at int64) *unix.Flock_t {
	return &unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: at, Len: 1}
}

func setByte(f *os.File, call int, l *unix.Flock_t) error {
	return retry(f, func() error { return unix.FcntlFlock(f.Fd(), call, l) })
}
