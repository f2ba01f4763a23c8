package history

import (
	"fmt"
	"io/fs"
	"os"

	"agent/internal/history/filelock"
)

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
	ok, err := filelock.Try(g)
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

// checkPrivate does nothing: %LocalAppData% is private to the user.
func checkPrivate(string, fs.FileInfo) error { return nil }
