package git

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// nonblock has no meaning on Windows, where pipes are not files.
const nonblock = 0

// lock locks the file until unlock or the end of this process. It returns false if
// another process holds the lock.
func lock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, err
}

// unlock closes f, which also unlocks it.
func unlock(f *os.File) error { return f.Close() }
