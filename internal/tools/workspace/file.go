package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"agent/internal/tools/advice"
)

// open opens a file or directory for reading. It rejects everything else (a FIFO,
// a device, a socket) without blocking. p is resolved; name is what the model
// wrote, for errors.
func (t *tree) open(name, p string) (*os.File, fs.FileInfo, error) {
	info, err := t.root.Stat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, t.notFound(name, p)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", name, Cause(err))
	}
	if t.isHidden(p) {
		return nil, nil, hiddenError(name)
	}
	if err := checkReadable(name, info); err != nil {
		return nil, nil, err
	}
	for range maxOpens {
		f, info, err := t.openNow(p)
		if err != nil {
			return nil, nil, fmt.Errorf("open %s: %w", name, Cause(err))
		}
		if err := checkReadable(name, info); err != nil {
			f.Close()
			return nil, nil, err
		}
		if now, err := t.root.Lstat(p); err == nil && os.SameFile(info, now) {
			return f, info, nil
		}
		f.Close()
	}
	return nil, nil, staleOpen(name)
}

// maxOpens limits the attempts to open a file that is replaced meanwhile. Saving a file
// often replaces it once.
const maxOpens = 20

// staleOpen returns the error for a file that was opened through a symbolic link, which
// replaced the file since its path was resolved.
func staleOpen(name string) error {
	return advice.Add(fmt.Errorf("%s was replaced while it was being opened, perhaps by a symbolic link", name), "Try again")
}

// openNow opens the file at p, of any type, without blocking.
func (t *tree) openNow(p string) (*os.File, fs.FileInfo, error) {
	f, err := t.root.OpenFile(p, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func hiddenError(name string) error {
	return advice.Add(fmt.Errorf("%s holds secret keys of this program, or temporary files of another session; tools cannot read or change it", name), "Continue without it")
}

// checkReadable returns an error if info is neither a file nor a directory.
func checkReadable(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	return fmt.Errorf("%s is a %s, not a regular file; tools cannot read or write it", name, Kind(info.Mode()))
}

// Kind returns the name of a file type that is neither regular nor a directory.
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
