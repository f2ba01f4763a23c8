package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// open opens a file or directory for reading. Everything else (a FIFO, a
// device, a socket) is rejected by name and never waited for. p is resolved;
// name is what the model wrote, for errors.
func (t *tree) open(name, p string) (*os.File, fs.FileInfo, error) {
	info, err := t.root.Stat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, t.notThere(name, p)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", name, Cause(err))
	}
	if t.isHidden(p) {
		return nil, nil, hidden(name)
	}
	if err := readable(name, info); err != nil {
		return nil, nil, err
	}
	f, err := t.root.OpenFile(p, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", name, Cause(err))
	}
	// The file may have been replaced since.
	if info, err = f.Stat(); err == nil {
		err = readable(name, info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// isHidden reports whether the resolved path p is the file that Hide named.
func (t *tree) isHidden(p string) bool {
	if t.hidden == "" {
		return false
	}
	if strings.EqualFold(p, t.hiddenPath()) {
		return true
	}
	key, err := os.Stat(t.hidden)
	if err != nil {
		return false
	}
	info, err := t.root.Stat(p)
	return err == nil && os.SameFile(info, key)
}

// hiddenPath returns the hidden file relative to the tree, with slashes; "" if it
// lies elsewhere.
func (t *tree) hiddenPath() string {
	if t.hidden == "" {
		return ""
	}
	dir := filepath.Dir(t.hidden)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	p, _ := t.inside(filepath.Join(dir, filepath.Base(t.hidden)))
	return p
}

func hidden(name string) error {
	return fmt.Errorf("%s is the key that protects the user's permissions: no tool can read or change it. Do without it", name)
}

// readable rejects what is neither a file nor a directory.
func readable(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	return fmt.Errorf("%s is a %s, not a file: it can be neither read nor written here", name, Kind(info.Mode()))
}

// Kind names a type of file that is neither a regular file nor a directory.
func Kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "FIFO (named pipe)"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	case m&fs.ModeSymlink != 0:
		return "symbolic link"
	}
	return "special file"
}
