//go:build unix

package git

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// nonblock makes opening a pipe return immediately.
const nonblock = unix.O_NONBLOCK

// lock locks the file until unlock or the end of this process. It returns false if
// another process holds the lock.
func lock(f *os.File) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, err
		}
	}
}

// unlock unlocks and closes f. Closing it would leave the lock to a child process that
// inherited the file while starting.
func unlock(f *os.File) error {
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	return f.Close()
}
