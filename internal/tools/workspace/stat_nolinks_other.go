//go:build !linux

package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// statNoLinks returns the info of the directory at an absolute path. It returns an error
// if the path leads through a symbolic link.
func statNoLinks(dir string) (fs.FileInfo, error) {
	top := filepath.VolumeName(dir) + string(filepath.Separator)
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(dir, top), string(filepath.Separator)) {
		if name == "" {
			continue
		}
		next, err := enterDir(root, name)
		_ = root.Close()
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: dir, Err: err}
		}
		root = next
	}
	defer root.Close()
	return root.Stat(".")
}

// enterDir opens a directory in root, unless its name is that of a symbolic link.
func enterDir(root *os.Root, name string) (*os.Root, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, Cause(err)
	}
	if !info.IsDir() {
		return nil, syscall.ENOTDIR
	}
	next, err := root.OpenRoot(name)
	if err != nil {
		return nil, Cause(err)
	}
	if now, err := next.Stat("."); err != nil || !os.SameFile(info, now) {
		_ = next.Close()
		return nil, syscall.ENOTDIR // it was replaced by a link
	}
	return next, nil
}
