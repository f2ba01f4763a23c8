package history

import (
	"errors"
	"os"
	"path/filepath"

	"agent/internal/history/filelock"
)

// Replace is for a file of another package, such as the settings: it also creates the
// directory, and with sync, the new content is on disk when it returns.
func Replace(path string, text []byte, sync bool) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return replace(path, text, sync)
}

// Exclusive calls do while no other program or goroutine is in Exclusive for the same
// path. It locks the file path.lock, which is not removed afterwards. Calls for one path must not nest.
func Exclusive(path string, do func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := filelock.Await(f); err != nil {
		return errors.Join(err, f.Close())
	}
	err = do()
	return errors.Join(err, release(f))
}

// replace writes a file atomically: readers see the old or the new content, and the
// last of two writers wins. An existing file keeps its mode; a new one is private.
func replace(path string, text []byte, sync bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*"+tempExtension)
	if err != nil {
		return err
	}
	err = writeAll(f, text)
	if info, serr := os.Stat(path); serr == nil {
		err = errors.Join(err, f.Chmod(info.Mode().Perm()))
	}
	if sync {
		err = errors.Join(err, f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, remove(f.Name()))
	}
	return nil
}
