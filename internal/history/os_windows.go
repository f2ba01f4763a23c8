package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the file for this process, until it closes the file or ends. It
// reports whether the lock was free. Locks are mandatory here, so it covers a
// byte that no log ever reaches.
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

// release closes f, and gives up its lock with that.
func release(f *os.File) error { return f.Close() }

// renameLocked gives f its final name and locks it. An open file cannot be
// renamed here: it returns another one, to write to from here on.
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

// unlink removes a file that is open as f, and closes it. It must be closed
// first here.
func unlink(f *os.File) error {
	f.Close()
	return os.Remove(f.Name())
}

// syncDir has nothing to do: directories cannot be synced here.
func syncDir(string) error { return nil }

// checkPrivate has nothing to look at: %LocalAppData% is the person's own.
func checkPrivate(string, fs.FileInfo) error { return nil }
