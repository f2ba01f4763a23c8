//go:build unix

package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"agent/internal/history/filelock"
)

// release unlocks and closes f. Closing it would leave the lock to a child
// process that inherited the file while starting.
func release(f *os.File) error {
	_ = filelock.Unlock(f)
	return f.Close()
}

// renameLocked locks f and renames it. It returns the file to use from now on.
func renameLocked(f *os.File, from, to string) (*os.File, error) {
	ok, err := filelock.Try(f)
	if err != nil {
		return f, err
	}
	if !ok {
		return f, fmt.Errorf("%s is in use", from)
	}
	if err := os.Rename(from, to); err != nil {
		return f, err
	}
	return renamed(f, to)
}

// supersede locks the file f, which has the name from, replaces the locked log old of
// name to by it, and releases old. It returns the file to use from now on.
func supersede(old, f *os.File, from, to string) (*os.File, error) {
	f, err := renameLocked(f, from, to)
	return f, errors.Join(err, release(old))
}

// FileID identifies an existing file or directory, also after it was renamed; empty if
// it cannot be read.
func FileID(path string) string {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return ""
	}
	return fmt.Sprintf("%x-%x", st.Ino, born(path, &st))
}

// renamed duplicates f, with its lock, under name, which appears in errors, and
// closes f.
func renamed(f *os.File, name string) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return f, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fd), name), f.Close()
}

// unlink removes the file of f and closes it. The lock is held until then, so
// that no other program can open the session.
func unlink(f *os.File) error {
	return errors.Join(os.Remove(f.Name()), release(f))
}

func checkPrivate(path string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user (%d), so sessions are neither stored there nor read from it. Set XDG_STATE_HOME to a directory of your own", path, st.Uid)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s is writable by other users, so sessions are neither stored there nor read from it. Check its contents, then run: chmod 700 %[1]s", path)
	}
	return nil
}
