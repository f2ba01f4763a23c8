//go:build unix

package search

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// nonblock makes opening a FIFO return immediately.
const nonblock = unix.O_NONBLOCK

// folder is an open directory. Its entries are opened by name relative to its
// descriptor, without following links, so that no access leaves the tree and path
// lookups stay short.
type folder struct {
	f  *os.File
	fd int
}

// openFolder opens the directory at p in root.
func openFolder(root *os.Root, p string) (folder, error) {
	sub, err := root.OpenRoot(p)
	if err != nil {
		return folder{}, err
	}
	defer sub.Close()
	f, err := sub.Open(".")
	if err != nil {
		return folder{}, err
	}
	return folder{f, int(f.Fd())}, nil
}

// folder opens a directory in d.
func (d folder) folder(name string) (folder, error) {
	fd, err := openAt(d.fd, name, unix.O_DIRECTORY)
	if err != nil {
		return folder{}, err
	}
	return folder{os.NewFile(uintptr(fd), name), fd}, nil
}

// file opens a file in d for reading.
func (d folder) file(name string) (file, error) {
	fd, err := openAt(d.fd, name, nonblock)
	return file{fd}, err
}

// has reports whether d contains a regular file of that name, or .git.
func (d folder) has(name string) bool {
	var st unix.Stat_t
	err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && (name == gitDir || st.Mode&unix.S_IFMT == unix.S_IFREG)
}

// changed returns the modification time of a file.
func (d folder) changed(name string) (time.Time, error) {
	var st unix.Stat_t
	err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return time.Time{}, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return time.Unix(st.Mtim.Unix()), nil
}

func (d folder) close() { d.f.Close() }

func openAt(dir int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|flags, 0)
		if err == nil {
			return fd, nil
		}
		if !errors.Is(err, unix.EINTR) {
			return -1, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

// file is an open file descriptor. os.File would cost more than reading a small
// file.
type file struct{ fd int }

// openFile opens the file at p in root, which must not be a symbolic link.
func openFile(root *os.Root, p string) (file, error) {
	f, err := openNoFollow(root, p)
	if err != nil {
		return file{}, err
	}
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return file{fd}, err
}

func (f file) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(f.fd, b)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, &fs.PathError{Op: "read", Err: err}
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// size returns the current size in bytes.
func (f file) size() (int64, error) {
	var st unix.Stat_t
	err := unix.Fstat(f.fd, &st)
	return st.Size, err
}

func (f file) close() { unix.Close(f.fd) }
