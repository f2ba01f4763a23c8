package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"

	"agent/internal/tools/advice"
)

// commit writes and removes files, all or none. It writes the new contents to
// temporary files in the same directories and syncs them, checks that every file
// is unchanged, and then renames them one by one. If a step fails, it undoes the
// earlier ones. Files that would lose their identity are written in place: see Overwrite.
// It returns files if all were written; an error with them means that cleaning up failed.
// Keep is as in Transaction.
func (w *Workspace) commit(ctx context.Context, files []*Draft, keep func() error) ([]*Draft, error) {
	c := &fileCommit{replacing: &w.replacing, keep: keep, entered: map[string]*tree{}, dirs: map[treeDir]*os.File{}}
	defer c.close()
	err := c.prepare(ctx, files)
	if err == nil {
		err = c.replace(ctx)
	}
	cleaned := c.clean(err != nil)
	if err == nil {
		if err = errors.Join(cleaned, c.sync()); err != nil {
			err = fmt.Errorf("the files were changed, but cleaning up failed: %w", err)
		} else if err = tellEditor(ctx, files); err != nil {
			err = fmt.Errorf("the files were changed, but %w", err)
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
	replacing *sync.Mutex          // see Workspace
	keep      func() error         // see Transaction; may be nil
	entered   map[string]*tree     // the trees of the files by directory, with open roots
	leave     []func()             // closes the roots
	dirs      map[treeDir]*os.File // locked directories: see lockDir
	files     []*fileSwap
	madeDirs  []treeDir // created directories, parents first
	partial   bool      // a failed commit could not be undone
}

// treeDir is a directory of a tree.
type treeDir struct {
	tree *tree
	path string // relative to the tree, with slashes
}

// fileSwap is the change of one file.
type fileSwap struct {
	*Draft
	in     *tree  // the tree of the file, with an open root
	temp   string // path of the temporary file with the new content; empty if the file is removed
	backup string // path of the backup; empty for a new file and for the last file that is replaced
	// inPlace is why the file is written in place, as a clause for the model; empty if it
	// is replaced.
	inPlace string
}

// dir returns the directory of the file.
func (s *fileSwap) dir() treeDir { return treeDir{s.in, path.Dir(s.at)} }

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
		var err error
		if s.in, err = c.enter(f.tree); err != nil {
			return s.wrap(err)
		}
		c.files = append(c.files, s)
		if err := c.prepareFile(s, i == len(files)-1); err != nil {
			return s.wrap(err)
		}
	}
	return ctx.Err()
}

// enter returns t with an open root, the same one for all files of the commit.
func (c *fileCommit) enter(t *tree) (*tree, error) {
	if opened := c.entered[t.dir]; opened != nil {
		if !os.SameFile(opened.self, t.self) {
			return nil, errMoved
		}
		return opened, nil
	}
	opened, done, err := t.enter()
	if err != nil {
		return nil, err
	}
	c.entered[t.dir] = opened
	c.leave = append(c.leave, done)
	return opened, nil
}

// close unlocks the directories and closes the roots.
func (c *fileCommit) close() {
	for _, d := range c.dirs {
		_ = d.Close()
	}
	for _, done := range c.leave {
		done()
	}
}

// replace checks that every file is unchanged and puts the new contents in place.
// Other commits wait meanwhile, so that none of them is overwritten.
func (c *fileCommit) replace(ctx context.Context) error {
	c.replacing.Lock()
	defer c.replacing.Unlock()
	for _, s := range c.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.in.checkUnchanged(s.Draft); err != nil {
			return s.wrap(err)
		}
		if err := s.in.checkUnsaved(ctx, s.Draft); err != nil {
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
		if err = c.mkdir(s.dir()); err != nil {
			return err
		}
	}
	c.lockDir(s.dir())
	if s.After != nil {
		if c.checkInPlace(s); s.inPlace == "" {
			if s.temp, err = c.writeTemp(s, tempExtension, s.attributesOf, s.disk); err != nil {
				return err
			}
			c.checkInPlace(s)
		}
	}
	switch {
	case s.inPlace != "":
		return c.keepOld(s)
	case s.info == nil || last:
		return nil
	}
	s.backup = tempName(s.at, backupExtension)
	if s.in.root.Link(s.at, s.backup) == nil {
		return nil
	}
	// Without hard links, use a copy.
	s.backup, err = c.writeTemp(s, backupExtension, s.Draft, s.onDisk())
	return err
}

// mkdir creates a directory and its missing parents.
func (c *fileCommit) mkdir(dir treeDir) error {
	var missing []treeDir
	for d := dir.path; d != "."; d = path.Dir(d) {
		if _, err := dir.tree.root.Lstat(d); err == nil {
			break
		}
		missing = append(missing, treeDir{dir.tree, d})
	}
	slices.Reverse(missing)
	c.madeDirs = append(c.madeDirs, missing...)
	return dir.tree.root.MkdirAll(dir.path, 0o777)
}

// rename puts the new contents in place. If it returns an error, the files have
// their old contents unless c.partial is set.
func (c *fileCommit) rename() error {
	for i, s := range c.files {
		var err error
		switch {
		case s.After == nil:
			err = s.in.root.Remove(s.at)
		case s.info == nil:
			err = s.in.create(s.temp, s.at)
		case s.inPlace != "":
			err = c.writeInPlace(s)
		default:
			err = c.replaceOne(s)
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
			if e := s.in.root.Remove(s.at); e != nil {
				c.partial = true
				err = fmt.Errorf("%w; %s was already created and could not be removed (%v)", err, s.Path, Cause(e))
			}
			continue
		}
		restore := func() error { return s.in.root.Rename(s.backup, s.at) }
		if s.inPlace != "" {
			restore = func() error {
				_, err := Overwrite(s.in.root, s.at, s.info, s.disk, s.onDisk())
				return err
			}
		}
		if e := restore(); e != nil {
			c.partial = true
			err = fmt.Errorf("%w; %s was already changed and could not be restored (%v); its old content is in %s", err, s.Path, Cause(e), s.in.show(s.backup))
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
			if err := s.in.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	if failed {
		for _, dir := range slices.Backward(c.madeDirs) {
			_ = dir.tree.root.Remove(dir.path) // fails if it is not empty
		}
	}
	return errors.Join(errs...)
}

// sync syncs the directories, so that the new names survive a power failure.
func (c *fileCommit) sync() error {
	dirs := map[treeDir]bool{}
	for _, s := range c.files {
		dirs[s.dir()] = true
	}
	for _, d := range c.madeDirs {
		dirs[treeDir{d.tree, path.Dir(d.path)}] = true
	}
	var errs []error
	for dir := range dirs {
		d, err := dir.tree.root.Open(dir.path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, syncDir(d), d.Close())
	}
	return errors.Join(errs...)
}

// writeTemp writes content to a new file next to that of s and returns its path. The file
// gets the owner, mode and attributes of like as far as permitted, or the defaults if like is nil.
func (c *fileCommit) writeTemp(s *fileSwap, extension string, like *Draft, content []byte) (string, error) {
	mode := fs.FileMode(0o666)
	if like != nil {
		mode = 0o600
	}
	tmp := tempName(s.at, extension)
	f, err := s.in.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if like != nil && err == nil {
		copyOwner(f, like.info)                  // before chmod, because it clears mode bits
		if f.Chmod(modeBits(like.info)) != nil { // not everybody may set all of them
			err = f.Chmod(like.info.Mode().Perm())
		}
		if err == nil {
			c.copyAttributes(f, like)
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, s.in.root.Remove(tmp))
	}
	return tmp, nil
}

// copyAttributes copies extended attributes from the file of a draft to f, if permitted.
func (c *fileCommit) copyAttributes(f *os.File, like *Draft) {
	if from, err := c.enter(like.tree); err == nil {
		CopyAttributes(from.root, like.at, f)
	}
}
