package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks the file until this process closes it or ends. It returns false if
// another process holds the lock. Locks are mandatory on Windows, so it locks a
// byte beyond the end of any log.
func lock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, fmt.Errorf("lock %s: %w", f.Name(), err)
}

// awaitLock is lock, but waits until another process releases the file.
func awaitLock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}

// release closes f, which also unlocks it.
func release(f *os.File) error { return f.Close() }

// renameLocked renames the file of f and locks it. Windows cannot rename an
// open file, so it returns a new one to use from now on.
func renameLocked(f *os.File, from, to string) (*os.File, error) {
	if err := f.Close(); err != nil {
		return f, err
	}
	if err := os.Rename(from, to); err != nil {
		return f, err
	}
	g, err := os.OpenFile(to, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return f, err
	}
	ok, err := lock(g)
	if err == nil && !ok {
		err = fmt.Errorf("%s is in use", to)
	}
	return g, err
}

// unlink removes the file of f, which must be closed first on Windows.
func unlink(f *os.File) error {
	f.Close()
	return os.Remove(f.Name())
}

// syncDir does nothing: Windows cannot sync directories.
func syncDir(string) error { return nil }

// checkPrivate does nothing: %LocalAppData% is private to the user.
func checkPrivate(string, fs.FileInfo) error { return nil }
