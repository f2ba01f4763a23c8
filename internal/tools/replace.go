package tools

import (
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

// maxEdit is the largest file that is held in memory to be changed.
const maxEdit = 16 << 20

// sight is what Prepare saw of a file that is to be written.
type sight struct {
	path    string      // resolved
	info    fs.FileInfo // nil if there was none
	sum     string      // of the content
	content []byte      // nil if there was none
}

// look reads the file that a model wants to write, or sees that there is none.
func (w *Workspace) look(name string) (sight, error) {
	p, err := w.resolve(name)
	if err != nil {
		return sight{}, err
	}
	if w.isHidden(p) {
		return sight{}, hidden(name)
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
		return sight{}, fmt.Errorf("%s holds %s, more than the %s that can be changed here: use a command in the shell", name, phrase.Bytes(info.Size()), phrase.Bytes(maxEdit))
	case info.Mode().Perm()&0o222 == 0:
		return sight{}, fmt.Errorf("%s is read-only (mode %04o): if it really should be changed, use chmod in the shell first", name, info.Mode().Perm())
	}
	content, err := held(f)
	if err != nil {
		return sight{}, fmt.Errorf("read %s: %w", name, reason(err))
	}
	return sight{path: p, info: info, sum: sumOf(content), content: content}, nil
}

// held returns what a file holds, as far as it may be changed, and never nil.
func held(f *os.File) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(f, maxEdit+1))
	if content == nil {
		content = []byte{}
	}
	return content, err
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

// unchanged says whether the file is still the one that was seen, by identity
// and by content, and whether its path still leads through no symbolic link.
func (w *Workspace) unchanged(s sight) error {
	if dir := path.Dir(s.path); dir != "." {
		if now, err := w.resolve(dir); err != nil || now != dir {
			return errors.New("its path leads through a symbolic link now, which it did not when it was looked at; look at where that leads, and use that path")
		}
	}
	info, err := w.root.Lstat(s.path)
	if s.info == nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errAppeared
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
	if content, err := held(f); err != nil || sumOf(content) != s.sum {
		return changed
	}
	return nil
}

// errAppeared refuses to make a file that somebody else has made.
var errAppeared = errors.New("it has appeared since it was looked at; read it and try again")
