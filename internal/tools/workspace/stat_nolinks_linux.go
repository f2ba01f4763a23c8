package workspace

import (
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// statNoLinks returns the info of the directory at an absolute path. It returns an error
// if the path leads through a symbolic link. The directories above it need not be
// readable.
func statNoLinks(dir string) (fs.FileInfo, error) {
	const flags = unix.O_PATH | unix.O_NOFOLLOW | unix.O_DIRECTORY | unix.O_CLOEXEC
	fail := func(err error) (fs.FileInfo, error) { return nil, &fs.PathError{Op: "open", Path: dir, Err: err} }
	at, err := openat(unix.AT_FDCWD, "/", flags)
	if err != nil {
		return fail(err)
	}
	for name := range strings.SplitSeq(dir, "/") {
		if name == "" {
			continue
		}
		next, err := openat(at, name, flags)
		_ = unix.Close(at)
		if err != nil {
			return fail(err)
		}
		at = next
	}
	f := os.NewFile(uintptr(at), dir)
	defer f.Close()
	return f.Stat()
}

func openat(dir int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}
