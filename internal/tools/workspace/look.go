package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode"

	"agent/internal/llm/phrase"
)

// MaxEdit is the size in bytes of the largest file that can be changed.
const MaxEdit = 16 << 20

// look reads the file that a model wants to write, or sees that there is none. It
// returns a draft that changes nothing.
func (t *tree) look(name string) (*Draft, error) {
	p, err := t.resolve(name)
	if err != nil {
		return nil, err
	}
	if t.isHidden(p) {
		return nil, hidden(name)
	}
	if insideGit(p) {
		return nil, fmt.Errorf("%s belongs to git's own data, which is not written here: use git commands in the shell instead", name)
	}
	if _, err := t.root.Lstat(p); errors.Is(err, fs.ErrNotExist) {
		if strings.HasSuffix(name, "/") {
			return nil, fmt.Errorf("%s names a directory: give the path of a file", name)
		}
		return &Draft{Path: p}, nil
	}
	f, info, err := t.open(name, p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch {
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory: give the path of a file", name)
	case info.Size() > MaxEdit:
		return nil, fmt.Errorf("%s holds %s, more than the %s that can be changed here: use a command in the shell", name, phrase.Bytes(info.Size()), phrase.Bytes(MaxEdit))
	case info.Mode().Perm()&0o222 == 0:
		return nil, fmt.Errorf("%s is read-only (mode %04o): if it really should be changed, use chmod in the shell first", name, info.Mode().Perm())
	}
	content, err := readAll(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, Cause(err))
	}
	d := &Draft{Path: p, Before: content, After: content, info: info}
	d.like = d
	return d, nil
}

// readAll returns what a file holds, as far as it may be changed, and never nil.
func readAll(f *os.File) ([]byte, error) { return io.ReadAll(io.LimitReader(f, MaxEdit+1)) }

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

// unchanged reports an error if the file is not the one that was seen any more,
// by identity and by content, or its path leads through a symbolic link now.
func (t *tree) unchanged(d *Draft) error {
	if dir := path.Dir(d.Path); dir != "." {
		if now, err := t.resolve(dir); err != nil || now != dir {
			return errors.New("its path leads through a symbolic link now, which it did not when it was looked at; look at where that leads, and use that path")
		}
	}
	info, err := t.root.Lstat(d.Path)
	if d.info == nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errAppeared
	}
	changed := errors.New("it has changed since it was looked at; read it again and try again")
	if err != nil || !os.SameFile(info, d.info) || info.Mode() != d.info.Mode() {
		return changed
	}
	f, err := t.root.OpenFile(d.Path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return changed
	}
	defer f.Close()
	if content, err := readAll(f); err != nil || !bytes.Equal(content, d.Before) {
		return changed
	}
	return nil
}

// errAppeared rejects making a file that somebody else has made.
var errAppeared = errors.New("it has appeared since it was looked at; read it and try again")
