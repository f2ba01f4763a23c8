package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
)

// commit writes and removes files where they were seen, all of them or none. The
// new contents go into temporary files beside the old ones; only when all of
// them lie on the disk, and every file is still what was seen, they take their
// names one after the other. If one of those steps fails, the earlier ones are
// undone. It returns the files if they are as wanted; an error beside them is
// what could not be done after that.
func (t *tree) commit(ctx context.Context, files []*Draft) ([]*Draft, error) {
	r := &replacement{in: t, dirs: map[string]*os.File{}}
	defer r.leave()
	err := r.prepare(ctx, files)
	if err == nil {
		err = r.rename()
	}
	cleaned := r.clean(err != nil)
	if err == nil {
		if err = errors.Join(cleaned, r.sync()); err != nil {
			err = fmt.Errorf("the change was made, but not all could be tidied up after it: %w", err)
		}
		return files, err
	}
	if cleaned != nil {
		err = fmt.Errorf("%w (a temporary file could not be removed: %v)", err, cleaned)
	}
	switch {
	case r.stuck, ctx.Err() != nil && errors.Is(err, ctx.Err()):
	case len(files) == 1:
		err = fmt.Errorf("%w; the file is as it was", err)
	default:
		err = fmt.Errorf("%w; so none of the %d files was changed", err, len(files))
	}
	return nil, err
}

// replacement is a change of files that is under way.
type replacement struct {
	in    *tree
	dirs  map[string]*os.File // in which it makes temporary files: see enter
	files []*swap
	made  []string // directories, each after the one it is in
	stuck bool     // it was made in part and could not be undone
}

// swap is what happens to one file.
type swap struct {
	*Draft
	fresh string // the temporary file that takes its name; empty if it is removed
	saved string // another name of the old file, to put it back; empty for a new file and for the last one
}

// failed adds the file to an error.
func (s *swap) failed(err error) error {
	verb := "write"
	if s.After == nil {
		verb = "remove"
	}
	return fmt.Errorf("%s %s: %w", verb, s.Path, Cause(err))
}

// prepare does all that can be done while every file stays as it is.
func (r *replacement) prepare(ctx context.Context, files []*Draft) error {
	for i, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := &swap{Draft: f}
		r.files = append(r.files, s)
		if err := r.ready(s, i == len(files)-1); err != nil {
			return s.failed(err)
		}
	}
	for _, s := range r.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.in.unchanged(s.Draft); err != nil {
			return s.failed(err)
		}
	}
	return ctx.Err()
}

// ready makes the temporary files of s. The last file needs none to be put back.
func (r *replacement) ready(s *swap, last bool) (err error) {
	if s.After != nil {
		if err = r.mkdir(path.Dir(s.Path)); err != nil {
			return err
		}
	}
	r.enter(path.Dir(s.Path))
	if s.After != nil {
		if s.fresh, err = r.in.temporary(s.Path, freshExtension, s.like, s.After); err != nil {
			return err
		}
	}
	if s.info == nil || last {
		return nil
	}
	s.saved = temporaryName(s.Path, savedExtension)
	if r.in.root.Link(s.Path, s.saved) == nil {
		return nil
	}
	// Where files cannot have two names, a copy has to do.
	s.saved, err = r.in.temporary(s.Path, savedExtension, s.Draft, s.Before)
	return err
}

// mkdir makes a directory and those above it that are missing.
func (r *replacement) mkdir(dir string) error {
	var missing []string
	for d := dir; d != "."; d = path.Dir(d) {
		if _, err := r.in.root.Lstat(d); err == nil {
			break
		}
		missing = append(missing, d)
	}
	slices.Reverse(missing)
	r.made = append(r.made, missing...)
	return r.in.root.MkdirAll(dir, 0o777)
}

// rename gives the files their new contents. If it returns an error, they have
// their old ones, unless r is stuck.
func (r *replacement) rename() error {
	for i, s := range r.files {
		var err error
		switch {
		case s.After == nil:
			err = r.in.root.Remove(s.Path)
		case s.info == nil:
			err = r.in.create(s.fresh, s.Path)
		default:
			err = r.in.root.Rename(s.fresh, s.Path)
		}
		if err != nil {
			return r.undo(i, s.failed(err))
		}
	}
	return nil
}

// create gives a temporary file its name, and never replaces a file that came
// in between where the file system can link.
func (t *tree) create(fresh, name string) error {
	err := t.root.Link(fresh, name)
	switch {
	case err == nil:
		return nil // the name that is too many goes with the other temporary files
	case errors.Is(err, fs.ErrExist):
		return errAppeared
	}
	return t.root.Rename(fresh, name)
}

// undo undoes the first n steps because of err.
func (r *replacement) undo(n int, err error) error {
	for _, s := range slices.Backward(r.files[:n]) {
		if s.info == nil {
			if e := r.in.root.Remove(s.Path); e != nil {
				r.stuck = true
				err = fmt.Errorf("%w; %s was made already and could not be removed again (%v)", err, s.Path, Cause(e))
			}
			continue
		}
		if e := r.in.root.Rename(s.saved, s.Path); e != nil {
			r.stuck = true
			err = fmt.Errorf("%w; %s is changed already and could not be put back (%v); its old content is in %s", err, s.Path, Cause(e), s.saved)
			s.saved = ""
		}
	}
	return err
}

// clean removes the temporary files, and where nothing came of it the
// directories that were made.
func (r *replacement) clean(failed bool) error {
	var errs []error
	for _, s := range r.files {
		for _, name := range []string{s.fresh, s.saved} {
			if name == "" {
				continue
			}
			if err := r.in.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	if failed {
		for _, dir := range slices.Backward(r.made) {
			_ = r.in.root.Remove(dir) // it stays if somebody uses it
		}
	}
	return errors.Join(errs...)
}

// sync makes the new names last.
func (r *replacement) sync() error {
	dirs := map[string]bool{}
	for _, s := range r.files {
		dirs[path.Dir(s.Path)] = true
	}
	for _, d := range r.made {
		dirs[path.Dir(d)] = true
	}
	var errs []error
	for dir := range dirs {
		d, err := r.in.root.Open(dir)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, syncDir(d), d.Close())
	}
	return errors.Join(errs...)
}

// temporary writes content to a new file beside p and returns its path. It gets
// the mode, group and attributes of like; if that is nil, those of a new
// one.
func (t *tree) temporary(p, extension string, like *Draft, content []byte) (string, error) {
	mode := fs.FileMode(0o666)
	if like != nil {
		mode = 0o600
	}
	tmp := temporaryName(p, extension)
	f, err := t.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if like != nil && err == nil {
		keepGroup(f, like.info)
		if err = f.Chmod(like.info.Mode().Perm()); err == nil {
			t.keepAttributes(f, like.Path)
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
