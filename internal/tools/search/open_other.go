//go:build !unix

package search

import (
	"io/fs"
	"os"
	"time"
)

const nonblock = 0

// folder is an open directory. Its root keeps links from leading out of it.
type folder struct{ root *os.Root }

// openFolder opens the directory at p in root.
func openFolder(root *os.Root, p string) (folder, error) {
	sub, err := root.OpenRoot(p)
	return folder{sub}, err
}

// folder opens a directory in d.
func (d folder) folder(name string) (folder, error) { return openFolder(d.root, name) }

// file opens a file in d for reading.
func (d folder) file(name string) (file, error) { return openFile(d.root, name) }

// entries returns what is in d, in no order.
func (d folder) entries() ([]fs.DirEntry, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// changed returns when the file was last written.
func (d folder) changed(name string) (time.Time, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

func (d folder) close() { d.root.Close() }

// file is an open file.
type file struct{ *os.File }

// openFile opens the file at p in root.
func openFile(root *os.Root, p string) (file, error) {
	f, err := root.Open(p)
	return file{f}, err
}

func (f file) close() { f.File.Close() }
