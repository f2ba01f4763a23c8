package filelock

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// Try locks f until Unlock, or until this process closes f or ends. It returns false if
// the lock is held through another open file.
func Try(f *os.File) (bool, error) {
	err := lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// Await is Try, but waits until the lock is free.
func Await(f *os.File) error { return lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// Unlock releases the lock.
func Unlock(f *os.File) error {
	if err := windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockedByte()); err != nil {
		return fmt.Errorf("unlock %s: %w", f.Name(), err)
	}
	return nil
}

func lock(f *os.File, flags uint32) error {
	if err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, lockedByte()); err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}

// lockedByte returns the position of the byte that is locked. Locks are mandatory on
// Windows, so it is beyond the end of any file.
func lockedByte() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// SyncDir does nothing: Windows cannot sync directories.
func SyncDir(string) error { return nil }
