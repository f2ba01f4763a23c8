//go:build unix

package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lock takes the file for this process, until it closes the file or ends. The
// kernel gives it up, so nothing stale is ever left. It reports whether the
// lock was free.
func lock(f *os.File) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
	}
}

// release gives up the lock of f and closes it. Closing alone would leave the
// lock to a child that is just being started and has the file open too.
func release(f *os.File) error {
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	return f.Close()
}

// renameLocked locks f and gives it its final name. It returns the file to
// write to from here on.
func renameLocked(f *os.File, from, to string) (*os.File, error) {
	ok, err := lock(f)
	if err != nil {
		return f, err
	}
	if !ok {
		return f, fmt.Errorf("%s is in use", from)
	}
	if err := os.Rename(from, to); err != nil {
		return f, err
	}
	return rename(f, to)
}

// rename returns the same open file, and its lock, under the name it has now:
// it is told in errors.
func rename(f *os.File, name string) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return f, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fd), name), f.Close()
}

// unlink removes a file that is open and locked as f, and closes it: nobody can
// take it before it is gone.
func unlink(f *os.File) error {
	return errors.Join(os.Remove(f.Name()), release(f))
}

// syncDir makes the names in a directory durable.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func checkPrivate(path string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user (%d): sessions are neither kept there nor read from it. Set XDG_STATE_HOME to a directory of your own", path, st.Uid)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s can be written by other users: sessions are neither kept there nor read from it. Look at what it holds, then: chmod 700 %[1]s", path)
	}
	return nil
}
