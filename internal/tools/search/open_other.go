//go:build !unix

package search

import (
	"os"
	"time"
)

const nonblock = 0

// folder is an open directory. Its root keeps links from leading out of it.
type folder struct {
	root *os.Root
	f    *os.File
}

// openFolder opens the directory at p in root.
func openFolder(root *os.Root, p string) (folder, error) {
	sub, err := root.OpenRoot(p)
	if err != nil {
		return folder{}, err
	}
	f, err := sub.Open(".")
	if err != nil {
		sub.Close()
		return folder{}, err
	}
	return folder{sub, f}, nil
}

// folder opens a directory in d.
func (d folder) folder(name string) (folder, error) { return openFolder(d.root, name) }

// file opens a file in d for reading.
func (d folder) file(name string) (file, error) { return openFile(d.root, name) }

// has reports whether d contains a regular file of that name, or .git.
func (d folder) has(name string) bool {
	info, err := d.root.Lstat(name)
	return err == nil && (name == gitDir || info.Mode().IsRegular())
}

// changed returns the modification time of a file.
func (d folder) changed(name string) (time.Time, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

func (d folder) close() {
	d.f.Close()
	d.root.Close()
}

// file is an open file.
type file struct{ *os.File }

// openFile opens the file at p in root, which must not be a symbolic link.
func openFile(root *os.Root, p string) (file, error) {
	f, err := openNoFollow(root, p)
	return file{f}, err
}

// size returns the current size in bytes.
func (f file) size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f file) close() { f.File.Close() }
