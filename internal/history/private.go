package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// prepare makes the store's directory if need be, and sees to it that nobody
// else can look in.
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

// check refuses a directory in which somebody else could have put or changed
// sessions. One that is not there is an fs.ErrNotExist.
func (s *Store) check() error {
	info, err := os.Stat(s.dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no directory: sessions cannot be kept in it", s.dir)
	}
	return checkPrivate(s.dir, info)
}

// makeDir makes a directory and those above it that are missing, all private
// and durable.
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
	return syncDir(parent)
}
