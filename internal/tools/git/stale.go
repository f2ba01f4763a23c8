package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// RemoveStale removes worktrees in dir that no running program uses and that were made
// at least age ago. It returns the number of worktrees that it removed. Dir is the
// parent of the Dir of each WorktreeOptions; it need not exist.
func RemoveStale(ctx context.Context, dir string, age time.Duration) (removed int, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, e := range entries {
		if ctx.Err() != nil {
			return removed, ctx.Err()
		}
		if !e.IsDir() {
			continue
		}
		done, err := removeStale(filepath.Join(dir, e.Name()), age)
		errs = append(errs, err)
		if done {
			removed++
		}
	}
	return removed, errors.Join(errs...)
}

// removeStale removes the worktree in dir if it is old and unused.
func removeStale(dir string, age time.Duration) (bool, error) {
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) { // the program was killed before it locked the directory
		fi, err := os.Lstat(dir)
		if err != nil || time.Since(fi.ModTime()) < age {
			return false, err
		}
		return true, removeAll(dir)
	}
	if err != nil {
		return false, err
	}
	fi, err := file.Stat()
	if err != nil || time.Since(fi.ModTime()) < age {
		return false, errors.Join(err, file.Close())
	}
	if locked, err := lock(file); err != nil || !locked {
		return false, errors.Join(err, file.Close())
	}
	err = errors.Join(unregister(dir), unlock(file))
	if err != nil {
		return false, err
	}
	return true, removeAll(dir)
}

// removeAll removes a directory and everything in it, including read-only directories
// such as those of Go's module cache.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	root, openErr := os.OpenRoot(dir)
	if openErr != nil {
		return err
	}
	_ = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = root.Chmod(name, 0o700)
		}
		return nil
	})
	_ = root.Close()
	return os.RemoveAll(dir)
}
