package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
)

// MaxEdit is the size in bytes of the largest file that can be changed.
const MaxEdit = 16 << 20

// openDraft reads the file that a model calls name, if it exists, and returns a
// draft without changes, and the names in its path that only look the same.
func (w *Workspace) openDraft(name string) (*Draft, *alike, error) {
	var same alike
	of, at, err := w.locateAlike(name, &same)
	if err != nil {
		return nil, nil, err
	}
	if of.kind == outputsTree {
		return nil, nil, advice.Add(fmt.Errorf("%s is in the directory of this session's outputs, which tools only read", name), "Write to another file")
	}
	t, done, err := of.enter()
	if err != nil {
		return nil, nil, err
	}
	defer done()
	d, err := t.openDraft(name, at, &same)
	if d == nil || err != nil {
		return nil, nil, err
	}
	d.tree, d.Alike = of, same.note()
	return d, &same, nil
}

// openDraft is Workspace.openDraft for a file of t, which the model calls name and t
// calls at.
func (t *tree) openDraft(name, at string, same *alike) (*Draft, error) {
	p, err := t.walk(at, same)
	if err != nil {
		return nil, err
	}
	if t.isHidden(p) {
		return nil, hiddenError(name)
	}
	if insideGit(filepath.ToSlash(t.show(p))) {
		return nil, advice.Add(fmt.Errorf("%s is in the .git directory, which tools cannot write", name), "Use git commands in shell")
	}
	if _, err := t.root.Lstat(p); errors.Is(err, fs.ErrNotExist) {
		if strings.HasSuffix(name, "/") {
			return nil, advice.Add(fmt.Errorf("%s is the path of a directory", name), "Give the path of a file")
		}
		return &Draft{Path: t.show(p), at: p}, nil
	}
	f, info, err := t.open(name, p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch {
	case info.IsDir():
		return nil, advice.Add(fmt.Errorf("%s is a directory", name), "Give the path of a file")
	case info.Size() > MaxEdit:
		return nil, advice.Add(fmt.Errorf("%s has %s, more than the limit of %s for changes", name, phrase.Bytes(info.Size()), phrase.Bytes(MaxEdit)), "Use a command in shell")
	case info.Mode().Perm()&0o222 == 0:
		return nil, advice.Add(fmt.Errorf("%s is read-only (mode %04o)", name, info.Mode().Perm()), "If you have to change it, run chmod in shell first")
	}
	content, err := readAll(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, Cause(err))
	}
	d := &Draft{Path: t.show(p), at: p, Before: content, After: content, info: info}
	d.attributesOf = d
	d.findLinks(t)
	d.useUnsaved(t)
	return d, nil
}

// readAll returns the content of f up to one byte above MaxEdit. It never returns
// nil.
func readAll(f *os.File) ([]byte, error) { return io.ReadAll(io.LimitReader(f, MaxEdit+1)) }

// insideGit reports whether a component of p is .git to git or to a file system
// that folds case, drops trailing dots and spaces, or ignores invisible
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

// checkUnchanged returns an error if the file differs from d in identity or
// content, or if its path leads through a symbolic link now.
func (t *tree) checkUnchanged(d *Draft) error {
	if err := t.checkPath(); err != nil {
		return err
	}
	if dir := path.Dir(d.at); dir != "." {
		if now, err := t.resolve(dir); err != nil || now != dir {
			return staleError("its path now leads through a symbolic link")
		}
	}
	info, err := t.root.Lstat(d.at)
	if d.info == nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errAppeared
	}
	if err != nil || !os.SameFile(info, d.info) || info.Mode() != d.info.Mode() {
		return errChangedSince
	}
	f, err := t.root.OpenFile(d.at, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return errChangedSince
	}
	defer f.Close()
	if content, err := readAll(f); err != nil || !bytes.Equal(content, d.onDisk()) {
		return errChangedSince
	}
	return nil
}

// errChangedSince rejects changing a file that somebody else has changed.
const errChangedSince = staleError("it has changed since the call was prepared")

// errAppeared rejects creating a file that exists by now.
const errAppeared = staleError("it was created after the call was prepared")

// staleError rejects changing a file that differs from what its draft saw.
type staleError string

func (e staleError) Error() string { return string(e) }
