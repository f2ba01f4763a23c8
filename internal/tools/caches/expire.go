package caches

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Limits of Expire.
const (
	Age  = 7 * 24 * time.Hour // how long the caches of a workspace stay that is not used
	Size = 4 << 30            // of all together, in bytes
)

// removed begins the names of directories that are being removed.
const removed = "removed-"

// measured is a file that was changed when the sizes were last measured, and measureAge how long that
// counts.
const (
	measured   = "measured"
	measureAge = time.Hour
)

// stored are the caches of a workspace.
type stored struct {
	name string
	used time.Time
}

// Expire removes the caches in a state directory that were not used for Age, those of workspaces that
// do not exist any more, and those that were not used for the longest time if all together are larger
// than Size. It removes none that are in use. If ctx ends, the rest is left for the next time.
func Expire(ctx context.Context, state string, now time.Time) { expire(ctx, Dir(state), now, Size) }

func expire(ctx context.Context, dir string, now time.Time, limit int64) {
	lock := tryLock(dir)
	if lock == nil {
		return // there are none, or another process is doing this
	}
	defer unlock(lock)
	entries, _ := os.ReadDir(dir)
	var all []stored
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() {
			continue
		}
		workspace, err := os.ReadFile(filepath.Join(dir, e.Name(), nameFile))
		_, gone := os.Lstat(string(workspace))
		switch age := now.Sub(info.ModTime()); {
		case strings.HasPrefix(e.Name(), removed):
			_ = remove(ctx, dir, e.Name()) // the next start tries again
		case age > Age, age > time.Minute && (err != nil || errors.Is(gone, fs.ErrNotExist)):
			discard(ctx, dir, e.Name())
		default:
			all = append(all, stored{name: e.Name(), used: info.ModTime()})
		}
	}
	if ctx.Err() != nil {
		return
	}
	file := filepath.Join(dir, measured)
	if info, err := os.Stat(file); err == nil && now.Sub(info.ModTime()) < measureAge {
		return
	}
	_ = os.WriteFile(file, nil, 0o600)
	slices.SortFunc(all, func(a, b stored) int { return b.used.Compare(a.used) })
	total := int64(0)
	for _, s := range all {
		if total += sizeOf(ctx, filepath.Join(dir, s.name)); total > limit {
			discard(ctx, dir, s.name)
		}
	}
}

// discard removes the caches of a workspace that no session uses.
func discard(ctx context.Context, dir, name string) {
	lock := tryLock(filepath.Join(dir, name))
	if lock == nil {
		return
	}
	defer unlock(lock)
	if os.Rename(filepath.Join(dir, name), filepath.Join(dir, removed+name)) == nil {
		_ = remove(ctx, dir, removed+name) // the next start tries again
	}
}

// TotalSize returns the size of all caches in a state directory, in bytes.
func TotalSize(ctx context.Context, state string) int64 { return sizeOf(ctx, Dir(state)) }

// sizeOf returns the size of the files below a directory, as far as they can be read.
func sizeOf(ctx context.Context, dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}

// remove removes a directory with everything in it, also if it is read-only or cannot be read. It
// follows no links. It ends early if ctx does.
func remove(ctx context.Context, parent, name string) error {
	root, err := os.OpenRoot(parent)
	if err != nil {
		return err
	}
	defer root.Close()
	return removeFrom(ctx, root, name)
}

// chunk is how many entries of a directory are read at a time.
const chunk = 1000

func removeFrom(ctx context.Context, parent *os.Root, name string) error {
	info, err := parent.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return parent.Remove(name)
	}
	if info.Mode().Perm()&0o700 != 0o700 {
		if err := parent.Chmod(name, 0o700); err != nil {
			return err
		}
	}
	dir, err := parent.OpenRoot(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		names, err := namesIn(dir)
		if err != nil {
			return err
		}
		if len(names) == 0 {
			return parent.Remove(name)
		}
		for _, inner := range names {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := removeFrom(ctx, dir, inner); err != nil {
				return err
			}
		}
	}
}

// namesIn returns the first names in a directory.
func namesIn(dir *os.Root) ([]string, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(chunk)
	if err == io.EOF {
		err = nil
	}
	return names, err
}
