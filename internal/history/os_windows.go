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

// supersede replaces the log old of name to by the file f, which has the name from, and
// locks it. Windows cannot replace an open file, so old is released before. It returns
// the file to use from now on.
func supersede(old, f *os.File, from, to string) (*os.File, error) {
	if err := release(old); err != nil {
		return f, err
	}
	return renameLocked(f, from, to)
}

// FileID identifies an existing file or directory by its path: Windows does not tell
// whether it was renamed.
func FileID(path string) string {
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return resolved(path)
}

// unlink removes the file of f, which must be closed first on Windows.
func unlink(f *os.File) error {
	f.Close()
	return os.Remove(f.Name())
}

// checkPrivate does nothing: %LocalAppData% is private to the user.
func checkPrivate(string, fs.FileInfo) error { return nil }
