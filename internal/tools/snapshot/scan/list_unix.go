//go:build unix

package scan

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// namesAtOnce is how many names of a directory are read at once.
const namesAtOnce = 4096

// lister reads the directories of one tree. Its paths are relative to an open directory,
// so the tree may be moved meanwhile. It is safe for concurrent use.
type lister struct {
	top    *os.File
	device uint64
	mtime  int64 // of the top directory
	user   uint32
}

func openLister(top string) (*lister, error) {
	fd, err := openDir(unix.AT_FDCWD, top)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: top, Err: err}
	}
	l := &lister{top: os.NewFile(uintptr(fd), top), user: uint32(os.Geteuid())}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, errors.Join(err, l.top.Close())
	}
	l.device, l.mtime = uint64(st.Dev), st.Mtim.Nano()
	return l, nil
}

func (l *lister) close() { _ = l.top.Close() }

// read calls add for the entries of a directory, with the target of a link, in any
// order. It ends with the first error of add.
func (l *lister) read(path string, add func(e entry, target string) error) error {
	fd, err := openDir(int(l.top.Fd()), path)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	d := os.NewFile(uintptr(fd), path)
	defer d.Close()
	for {
		now := time.Now()
		names, err := d.Readdirnames(namesAtOnce)
		for _, name := range names {
			e, target, ok := l.stat(fd, name)
			if !ok {
				continue
			}
			e.mark(now)
			if err := add(e, target); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// stat examines a name of an open directory. It reports false if nothing is there.
func (l *lister) stat(fd int, name string) (e entry, target string, ok bool) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return e, "", false
		}
		break
	}
	e = entry{
		name: name, size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), inode: uint64(st.Ino), mode: uint32(st.Mode) & 0o7777,
	}
	if l.user != 0 && st.Uid != l.user {
		e.flags |= foreign
	}
	switch uint32(st.Mode) & unix.S_IFMT {
	case unix.S_IFREG:
		e.kind = file
		if st.Nlink > 1 {
			e.flags |= linked
		}
	case unix.S_IFDIR:
		e.kind = directory
		if uint64(st.Dev) != l.device {
			e.flags |= mounted
		}
	case unix.S_IFLNK:
		e.kind, e.mode = link, 0
		b := make([]byte, unix.PathMax)
		if n, err := unix.Readlinkat(fd, name, b); err == nil {
			target = string(b[:n])
		}
	}
	return e, target, true
}

// openDir opens a directory, not a link to one.
func openDir(at int, path string) (int, error) {
	for {
		fd, err := unix.Openat(at, path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// nonblock makes opening a named pipe return immediately.
const nonblock = unix.O_NONBLOCK

// examine returns the entry of an open file.
func examine(f *os.File) (e entry, err error) {
	c, err := f.SyscallConn()
	if err != nil {
		return e, err
	}
	var st unix.Stat_t
	if failed := c.Control(func(fd uintptr) { err = unix.Fstat(int(fd), &st) }); failed != nil {
		return e, failed
	}
	if err == nil && uint32(st.Mode)&unix.S_IFMT != unix.S_IFREG {
		err = errors.New("it is not a regular file")
	}
	return entry{kind: file, size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), inode: uint64(st.Ino)}, err
}
