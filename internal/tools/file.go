package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// open opens a file or directory for reading. Everything else (a FIFO, a
// device, a socket) is refused by name and never waited for. p is resolved;
// name is what the model wrote, for errors.
func (w *Workspace) open(name, p string) (*os.File, fs.FileInfo, error) {
	info, err := w.root.Stat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, w.notThere(name, p)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", name, reason(err))
	}
	if w.isHidden(p) {
		return nil, nil, hidden(name)
	}
	if err := readable(name, info); err != nil {
		return nil, nil, err
	}
	f, err := w.root.OpenFile(p, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", name, reason(err))
	}
	// What was looked at may have been replaced since.
	info, err = f.Stat()
	if err == nil {
		err = readable(name, info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// isHidden reports whether the resolved path p is the file that Hide named.
func (w *Workspace) isHidden(p string) bool {
	if w.hidden == "" {
		return false
	}
	if strings.EqualFold(p, w.hiddenName()) {
		return true
	}
	key, err := os.Stat(w.hidden)
	if err != nil {
		return false
	}
	info, err := w.root.Stat(p)
	return err == nil && os.SameFile(info, key)
}

// hiddenName returns the hidden file relative to the workspace, with slashes;
// empty if it lies elsewhere.
func (w *Workspace) hiddenName() string {
	if w.hidden == "" {
		return ""
	}
	dir := filepath.Dir(w.hidden)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	name, ok := w.inside(filepath.Join(dir, filepath.Base(w.hidden)))
	if !ok {
		return ""
	}
	return name
}

func hidden(name string) error {
	return fmt.Errorf("%s is the key that protects the user's permissions: no tool can read or change it. Do without it", name)
}

// readable refuses what is neither a file nor a directory.
func readable(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	return fmt.Errorf("%s is a %s, not a file: it can be neither read nor written here", name, kind(info.Mode()))
}

// kind names a type of file.
func kind(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "file"
	case m.IsDir():
		return "directory"
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
