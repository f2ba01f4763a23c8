//go:build unix

package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonblock makes opening a FIFO return immediately.
const nonblock = syscall.O_NONBLOCK

// stat returns the system-dependent info. info comes from package os.
func stat(info fs.FileInfo) *syscall.Stat_t { return info.Sys().(*syscall.Stat_t) }

// inode returns the inode number, which differs for a file that was replaced.
func inode(info fs.FileInfo) uint64 { return stat(info).Ino }

// ownedByUser reports whether the file belongs to this user.
func ownedByUser(info fs.FileInfo) bool { return int(stat(info).Uid) == os.Geteuid() }

// hasOtherLinks reports whether the file has further hard links.
func hasOtherLinks(info fs.FileInfo) bool { return stat(info).Nlink > 1 }

// replaceWarnings returns warnings for the user about replacing the file by a new
// one of the same name.
func replaceWarnings(name string, info fs.FileInfo) []string {
	var out []string
	if hasOtherLinks(info) {
		out = append(out, fmt.Sprintf("%s has %d hard links; the other names keep the old content", name, stat(info).Nlink))
	}
	if !ownedByUser(info) {
		out = append(out, fmt.Sprintf("%s belongs to another user (uid %d) and will belong to you", name, stat(info).Uid))
	}
	return out
}

// copyGroup sets the group of f to that of old, if permitted.
func copyGroup(f *os.File, old fs.FileInfo) { _ = f.Chown(-1, int(stat(old).Gid)) }

// syncDir syncs a directory, if its file system supports it.
func syncDir(d *os.File) error {
	err := d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// lockShared takes a shared lock on a directory until it is closed. It does not
// wait for an exclusive lock: files written now are too new to be removed as
// leftovers.
func lockShared(d *os.File) { _ = unix.Flock(int(d.Fd()), unix.LOCK_SH|unix.LOCK_NB) }

// lockExclusive tries to take an exclusive lock on a directory, and reports
// whether no other process holds a lock. lockShared or closing the directory ends
// it.
func lockExclusive(d *os.File) bool { return unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil }
