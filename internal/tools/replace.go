package tools

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode"
)

// maxEdit is the largest file that is held in memory to be changed.
const maxEdit = 16 << 20

// sight is what Prepare saw of a file that is to be written.
type sight struct {
	path    string      // resolved
	info    fs.FileInfo // nil if there was none
	sum     [sha256.Size]byte
	content []byte // nil if there was none
}

// look reads the file that a model wants to write, or sees that there is none.
func (w *Workspace) look(name string) (sight, error) {
	p, err := w.resolve(name)
	if err != nil {
		return sight{}, err
	}
	if insideGit(p) {
		return sight{}, fmt.Errorf("%s belongs to git's own data, which is not written here: use git commands in the shell instead", name)
	}
	if _, err := w.root.Lstat(p); errors.Is(err, fs.ErrNotExist) {
		if strings.HasSuffix(name, "/") {
			return sight{}, fmt.Errorf("%s names a directory: give the path of a file", name)
		}
		return sight{path: p}, nil
	}
	f, info, err := w.open(name, p)
	if err != nil {
		return sight{}, err
	}
	defer f.Close()
	switch {
	case info.IsDir():
		return sight{}, fmt.Errorf("%s is a directory: give the path of a file", name)
	case info.Size() > maxEdit:
		return sight{}, fmt.Errorf("%s holds %s, more than the %s that can be changed here: use a command in the shell", name, size(info.Size()), size(maxEdit))
	case info.Mode().Perm()&0o222 == 0:
		return sight{}, fmt.Errorf("%s is read-only (mode %04o): if it really should be changed, use chmod in the shell first", name, info.Mode().Perm())
	}
	content, err := io.ReadAll(io.LimitReader(f, maxEdit+1))
	if err != nil {
		return sight{}, fmt.Errorf("read %s: %w", name, reason(err))
	}
	if content == nil {
		content = []byte{}
	}
	return sight{path: p, info: info, sum: sha256.Sum256(content), content: content}, nil
}

// insideGit reports whether one of the names in p is .git to git or to a file
// system that folds case, drops trailing dots and blanks, or ignores invisible
// characters.
func insideGit(p string) bool {
	for name := range strings.SplitSeq(p, "/") {
		name = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) {
				return -1
			}
			return r
		}, name)
		name, _, _ = strings.Cut(name, ":")
		name = strings.TrimRight(name, ". ")
		if strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1") {
			return true
		}
	}
	return false
}

// put writes content where s was seen: into a temporary file beside it, which
// then takes its name. If anything fails, or the file is no longer what was
// seen, the old one is untouched.
func (w *Workspace) put(ctx context.Context, s sight, content []byte) (err error) {
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("write %s: %w; the file is as it was", s.path, reason(err))
		}
	}()
	if err := ctx.Err(); err != nil {
		return err
	}
	dir := path.Dir(s.path)
	if err := w.root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	tmp, err := w.temporary(s, content)
	if err != nil {
		return err
	}
	if err = ctx.Err(); err == nil {
		err = w.unchanged(s)
	}
	if err == nil {
		err = w.rename(tmp, s)
	}
	if err != nil {
		return errors.Join(err, w.root.Remove(tmp))
	}
	d, err := w.root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(syncDir(d), d.Close())
}

// temporary writes content to a new file beside s and returns its path. A new
// file gets the mode that the person's umask gives, another that of the old one.
func (w *Workspace) temporary(s sight, content []byte) (string, error) {
	mode := fs.FileMode(0o666)
	if s.info != nil {
		mode = 0o600
	}
	tmp := path.Join(path.Dir(s.path), ".agent-"+rand.Text()+".tmp")
	f, err := w.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if s.info != nil && err == nil {
		keepGroup(f, s.info)
		err = f.Chmod(s.info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, w.root.Remove(tmp))
	}
	return tmp, nil
}

// unchanged says whether the file is still the one that was seen, by identity
// and by content.
func (w *Workspace) unchanged(s sight) error {
	info, err := w.root.Lstat(s.path)
	if s.info == nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errors.New("it has appeared since it was looked at; read it and try again")
	}
	changed := errors.New("it has changed since it was looked at; read it again and try again")
	if err != nil || !os.SameFile(info, s.info) || info.Mode() != s.info.Mode() {
		return changed
	}
	f, err := w.root.OpenFile(s.path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return changed
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, maxEdit+1)); err != nil || !bytes.Equal(sum.Sum(nil), s.sum[:]) {
		return changed
	}
	return nil
}

// rename gives the temporary file its name. A new file never replaces one that
// came in between, where the file system can link.
func (w *Workspace) rename(tmp string, s sight) error {
	if s.info == nil {
		err := w.root.Link(tmp, s.path)
		if err == nil {
			return w.root.Remove(tmp)
		}
		if errors.Is(err, fs.ErrExist) {
			return errors.New("it has appeared since it was looked at; read it and try again")
		}
	}
	return w.root.Rename(tmp, s.path)
}
