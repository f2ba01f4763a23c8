package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/realpath"
)

// Limits of the files that are copied to a worktree.
const (
	maxCopied       = 100_000 // files
	maxCopiedBytes  = 4 << 30 // of all files
	maxUntracked    = 16 << 20
	maxAllUntracked = 256 << 20
)

// maxChanged is the size in bytes of the largest file whose changes are returned.
const maxChanged = 16 << 20

// base is a file or symbolic link as it was copied to the worktree.
type base struct {
	id         string // of a git blob with its content, or with the target of the link
	size       int64
	link       bool
	executable bool
	// saved is the name of a copy in Worktree.saved. It is empty if the repository has
	// the blob, or if the file is a link or larger than maxChanged.
	saved string
}

// carry copies the files of the workspace to the working tree and records them as its
// base. It returns the index of the user.
func (w *Worktree) carry(ctx context.Context) ([]indexEntry, error) {
	entries, err := w.session.index(ctx)
	if err != nil {
		return nil, err
	}
	others, err := w.session.untracked(ctx, w.repo.Root, w.session.env)
	if err != nil {
		return nil, err
	}
	if err := w.checkCount(entries, others); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(w.repo.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	c := carrier{worktree: w, from: newFiles(root), made: map[string]bool{".": true}}
	for _, e := range entries {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case e.isSubmodule():
			w.left.add("%s is a submodule; it is not in the worktree", e.path)
			w.submodules = append(w.submodules, e.path)
		default:
			if err := c.copy(e.path, e.id); err != nil {
				return nil, err
			}
			if _, copied := w.base[e.path]; !copied {
				w.absent = append(w.absent, e.path)
			}
		}
	}
	for _, name := range others {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := c.copyUntracked(name); err != nil {
			return nil, err
		}
	}
	// If all files of the workspace are deleted, its directory does not exist yet.
	return entries, w.root.MkdirAll(filepath.FromSlash(w.rel), 0o777)
}

// checkCount returns an error if there are too many files, or none in the workspace.
func (w *Worktree) checkCount(entries []indexEntry, others []string) error {
	if n := len(entries) + len(others); n > maxCopied {
		return fmt.Errorf("the repository has %d files, and at most %d can be copied", n, maxCopied)
	}
	if w.rel == "." {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.path, w.rel+"/") {
			return nil
		}
	}
	for _, name := range others {
		if strings.HasPrefix(name, w.rel+"/") {
			return nil
		}
	}
	return fmt.Errorf("%s has no file that belongs to the repository %s", w.rel, w.repo.Root)
}

// carrier copies files to a worktree.
type carrier struct {
	worktree  *Worktree
	from      files
	made      map[string]bool // directories that exist in the worktree
	total     int64           // size of the copied files
	untracked int64           // size of those that are untracked
}

// copyUntracked copies a file that is not in the index.
func (c *carrier) copyUntracked(name string) error {
	left := &c.worktree.left
	if strings.HasSuffix(name, "/") {
		left.add("%s is a repository of its own; it is not in the worktree", name)
		return nil
	}
	fi, err := c.from.lstat(name)
	switch {
	case err != nil:
		return c.unreadable(name, err)
	case fi.Size() > maxUntracked || c.untracked+fi.Size() > maxAllUntracked:
		left.add("%s (%s) is untracked and too large; it is not in the worktree", name, phrase.Bytes(fi.Size()))
		return nil
	}
	c.untracked += fi.Size()
	return c.copy(name, "")
}

// unreadable notes that a file cannot be copied. A file that does not exist counts as
// deleted, and needs no note.
func (c *carrier) unreadable(name string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		c.worktree.left.add("%s cannot be read; it is not in the worktree", name)
	}
	return nil
}

// copy copies one file or symbolic link. id is its blob in the index; it may be empty.
func (c *carrier) copy(name, id string) error {
	w := c.worktree
	if _, done := w.base[name]; done || ownedByGit(name) || w.isPrivate(name) {
		return nil
	}
	fi, err := c.from.lstat(name)
	if err != nil {
		return c.unreadable(name, err)
	}
	if c.total += fi.Size(); c.total > maxCopiedBytes {
		return fmt.Errorf("the files of the repository have more than %s", phrase.Bytes(maxCopiedBytes))
	}
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		target, err := c.from.root.Readlink(name)
		if err != nil {
			return c.unreadable(name, err)
		}
		if err := c.makeParent(name); err != nil {
			return err
		}
		if err := w.root.Symlink(target, name); err != nil { // Windows may not permit it
			w.left.add("%s is a symbolic link that cannot be made in the worktree", name)
			return nil
		}
		w.base[name] = base{id: w.blobID([]byte(target)), link: true}
		return nil
	case fi.IsDir():
		return nil // a directory has replaced the file; its files are untracked
	case !fi.Mode().IsRegular():
		w.left.add("%s is not a regular file; it is not in the worktree", name)
		return nil
	}
	return c.copyFile(name, id)
}

// isPrivate reports whether a path is in one of the private places.
func (w *Worktree) isPrivate(name string) bool {
	at := filepath.Join(w.repo.Root, filepath.FromSlash(name))
	for _, private := range append([]string{w.options.Dir}, w.options.Private...) {
		if realpath.Inside(at, private) {
			return true
		}
	}
	return false
}

// makeParent makes the directory of a file in the worktree.
func (c *carrier) makeParent(name string) error {
	dir := path.Dir(name)
	if c.made[dir] {
		return nil
	}
	c.made[dir] = true
	return c.worktree.root.MkdirAll(filepath.FromSlash(dir), 0o777)
}

// copyFile copies a regular file with its permissions and modification time.
func (c *carrier) copyFile(name, id string) error {
	w := c.worktree
	from, fi, err := c.from.open(name)
	if err != nil {
		return c.unreadable(name, err)
	}
	defer from.Close()
	if err := c.makeParent(name); err != nil {
		return err
	}
	to, err := w.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer to.Close()
	if _, err := io.Copy(to, io.LimitReader(from, fi.Size())); err != nil {
		return err
	}
	// The copy is read again: the original may change at any time.
	b := base{executable: isExecutable(fi)}
	if b.id, b.size, err = w.fileID(to); err != nil {
		return err
	}
	if b.id != id && b.size <= maxChanged {
		b.saved = strconv.Itoa(len(w.base))
		if err := w.save(to, b.saved); err != nil {
			return err
		}
	}
	w.base[name] = b
	return errors.Join(to.Chmod(fi.Mode().Perm()), w.root.Chtimes(name, fi.ModTime(), fi.ModTime()))
}

// save stores a copy of a file in w.saved.
func (w *Worktree) save(from io.ReadSeeker, name string) error {
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	to, err := w.saved.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

func isExecutable(fi fs.FileInfo) bool { return fi.Mode().Perm()&0o100 != 0 }
