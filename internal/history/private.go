package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agent/internal/history/filelock"
)

// prepare creates the store's directory if necessary, and makes it private.
func (s *Store) prepare() error {
	if err := makeDir(s.dir); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	info, err := os.Stat(s.dir)
	if err == nil && info.Mode().Perm() != 0o700 {
		err = os.Chmod(s.dir, 0o700)
	}
	return err
}

// check returns an error if another user could write to the directory. If it
// does not exist, that is an fs.ErrNotExist.
func (s *Store) check() error {
	info, err := os.Stat(s.dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory, so sessions cannot be stored there", s.dir)
	}
	return checkPrivate(s.dir, info)
}

// makeDir creates a directory and missing parents, private and durable.
func makeDir(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := makeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return filelock.SyncDir(parent)
}
