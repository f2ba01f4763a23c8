package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"agent/internal/tools/advice"
)

// commit writes and removes files, all or none. It writes the new contents to
// temporary files in the same directories and syncs them, checks that every file
// is unchanged, and then renames them one by one. If a step fails, it undoes the
// earlier ones. It returns files if all were written; an error with them means
// that cleaning up failed.
func (t *tree) commit(ctx context.Context, files []*Draft) ([]*Draft, error) {
	c := &fileCommit{tree: t, dirs: map[string]*os.File{}}
	defer c.unlockDirs()
	err := c.prepare(ctx, files)
	if err == nil {
		err = c.replace(ctx)
	}
	cleaned := c.clean(err != nil)
	if err == nil {
		if err = errors.Join(cleaned, c.sync()); err != nil {
			err = fmt.Errorf("the files were changed, but cleaning up failed: %w", err)
		}
		return files, err
	}
	if cleaned != nil {
		err = fmt.Errorf("%w (a temporary file could not be removed: %v)", err, cleaned)
	}
	switch {
	case c.partial, ctx.Err() != nil && errors.Is(err, ctx.Err()):
	case len(files) == 1:
		err = fmt.Errorf("%w; the file is unchanged", err)
	default:
		err = fmt.Errorf("%w; none of the %d files was changed", err, len(files))
	}
	if _, ok := errors.AsType[staleError](err); ok {
		err = advice.Add(err, "Read the file again and retry")
	}
	return nil, err
}

// fileCommit is a commit in progress.
type fileCommit struct {
	tree     *tree
	dirs     map[string]*os.File // locked directories: see lockDir
	files    []*fileSwap
	madeDirs []string // created directories, parents first
	partial  bool     // a failed commit could not be undone
}

// fileSwap is the change of one file.
type fileSwap struct {
	*Draft
	temp   string // path of the temporary file with the new content; empty if the file is removed
	backup string // path of the backup; empty for a new file and for the last file
}

// wrap adds the operation and the path to an error.
func (s *fileSwap) wrap(err error) error {
	verb := "write"
	if s.After == nil {
		verb = "remove"
	}
	return fmt.Errorf("%s %s: %w", verb, s.Path, Cause(err))
}

// prepare does everything that leaves the files unchanged.
func (c *fileCommit) prepare(ctx context.Context, files []*Draft) error {
	for i, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := &fileSwap{Draft: f}
		c.files = append(c.files, s)
		if err := c.prepareFile(s, i == len(files)-1); err != nil {
			return s.wrap(err)
		}
	}
	return ctx.Err()
}

// replace checks that every file is unchanged and puts the new contents in place.
// Other commits wait meanwhile, so that none of them is overwritten.
func (c *fileCommit) replace(ctx context.Context) error {
	c.tree.replacing.Lock()
	defer c.tree.replacing.Unlock()
	for _, s := range c.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.tree.checkUnchanged(s.Draft); err != nil {
			return s.wrap(err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.rename()
}

// prepareFile makes the temporary files of s. The last file needs no backup,
// because nothing can fail after it.
func (c *fileCommit) prepareFile(s *fileSwap, last bool) (err error) {
	if s.After != nil {
		if err = c.mkdir(path.Dir(s.Path)); err != nil {
			return err
		}
	}
	c.lockDir(path.Dir(s.Path))
	if s.After != nil {
		if s.temp, err = c.tree.writeTemp(s.Path, tempExtension, s.attributesOf, s.After); err != nil {
			return err
		}
	}
	if s.info == nil || last {
		return nil
	}
	s.backup = tempName(s.Path, backupExtension)
	if c.tree.root.Link(s.Path, s.backup) == nil {
		return nil
	}
	// Without hard links, use a copy.
	s.backup, err = c.tree.writeTemp(s.Path, backupExtension, s.Draft, s.Before)
	return err
}

// mkdir creates a directory and its missing parents.
func (c *fileCommit) mkdir(dir string) error {
	var missing []string
	for d := dir; d != "."; d = path.Dir(d) {
		if _, err := c.tree.root.Lstat(d); err == nil {
			break
		}
		missing = append(missing, d)
	}
	slices.Reverse(missing)
	c.madeDirs = append(c.madeDirs, missing...)
	return c.tree.root.MkdirAll(dir, 0o777)
}

// rename puts the new contents in place. If it returns an error, the files have
// their old contents unless c.partial is set.
func (c *fileCommit) rename() error {
	for i, s := range c.files {
		var err error
		switch {
		case s.After == nil:
			err = c.tree.root.Remove(s.Path)
		case s.info == nil:
			err = c.tree.create(s.temp, s.Path)
		default:
			err = c.tree.root.Rename(s.temp, s.Path)
		}
		if err != nil {
			return c.undo(i, s.wrap(err))
		}
	}
	return nil
}

// create renames the temporary file to name. If the file system has hard links,
// it never replaces a file that appeared in the meantime.
func (t *tree) create(fresh, name string) error {
	err := t.root.Link(fresh, name)
	switch {
	case err == nil:
		return nil // clean removes the temporary name
	case errors.Is(err, fs.ErrExist):
		return errAppeared
	}
	return t.root.Rename(fresh, name)
}

// undo reverts the first n steps because of err.
func (c *fileCommit) undo(n int, err error) error {
	for _, s := range slices.Backward(c.files[:n]) {
		if s.info == nil {
			if e := c.tree.root.Remove(s.Path); e != nil {
				c.partial = true
				err = fmt.Errorf("%w; %s was already created and could not be removed (%v)", err, s.Path, Cause(e))
			}
			continue
		}
		if e := c.tree.root.Rename(s.backup, s.Path); e != nil {
			c.partial = true
			err = fmt.Errorf("%w; %s was already changed and could not be restored (%v); its old content is in %s", err, s.Path, Cause(e), s.backup)
			s.backup = ""
		}
	}
	return err
}

// clean removes the temporary files and, after a failure, the created
// directories.
func (c *fileCommit) clean(failed bool) error {
	var errs []error
	for _, s := range c.files {
		for _, name := range []string{s.temp, s.backup} {
			if name == "" {
				continue
			}
			if err := c.tree.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	if failed {
		for _, dir := range slices.Backward(c.madeDirs) {
			_ = c.tree.root.Remove(dir) // fails if it is not empty
		}
	}
	return errors.Join(errs...)
}

// sync syncs the directories, so that the new names survive a power failure.
func (c *fileCommit) sync() error {
	dirs := map[string]bool{}
	for _, s := range c.files {
		dirs[path.Dir(s.Path)] = true
	}
	for _, d := range c.madeDirs {
		dirs[path.Dir(d)] = true
	}
	var errs []error
	for dir := range dirs {
		d, err := c.tree.root.Open(dir)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, syncDir(d), d.Close())
	}
	return errors.Join(errs...)
}

// writeTemp writes content to a new file next to p and returns its path. The file
// gets the mode, group and attributes of like, or the defaults if like is nil.
func (t *tree) writeTemp(p, extension string, like *Draft, content []byte) (string, error) {
	mode := fs.FileMode(0o666)
	if like != nil {
		mode = 0o600
	}
	tmp := tempName(p, extension)
	f, err := t.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if like != nil && err == nil {
		copyGroup(f, like.info)
		if err = f.Chmod(like.info.Mode().Perm()); err == nil {
			t.copyAttributes(f, like.Path)
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, t.root.Remove(tmp))
	}
	return tmp, nil
}
