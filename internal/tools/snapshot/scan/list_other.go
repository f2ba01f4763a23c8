//go:build !unix

package scan

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// lister reads the directories of one tree. It is safe for concurrent use.
type lister struct {
	root  *os.Root
	mtime int64 // of the top directory
}

func openLister(top string) (*lister, error) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &lister{root, info.ModTime().UnixNano()}, nil
}

func (l *lister) close() { _ = l.root.Close() }

// read calls add for the entries of a directory, with the target of a link, in any
// order. It ends with the first error of add.
func (l *lister) read(path string, add func(e entry, target string) error) error {
	d, err := l.root.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	now := time.Now()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		info, err := l.root.Lstat(join(path, name))
		if err != nil {
			continue // it was removed
		}
		e, target := fromInfo(info), ""
		if e.kind == link {
			target, _ = l.root.Readlink(join(path, name))
		}
		e.mark(now)
		if err := add(e, target); err != nil {
			return err
		}
	}
	return nil
}

// nonblock is not needed: no file blocks when it is opened.
const nonblock = 0

// examine returns the entry of an open file.
func examine(f *os.File) (e entry, err error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return e, err
	}
	return fromInfo(info), nil
}

func fromInfo(info fs.FileInfo) entry {
	e := entry{name: info.Name(), size: info.Size(), mtime: info.ModTime().UnixNano(), mode: uint32(info.Mode().Perm())}
	switch m := info.Mode(); {
	case m.IsRegular():
		e.kind = file
	case m.IsDir():
		e.kind = directory
	case m&fs.ModeSymlink != 0:
		e.kind, e.mode = link, 0
	}
	return e
}
