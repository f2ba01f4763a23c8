//go:build unix

package workspace

import (
	"errors"
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

// device returns the number of the device of the file.
func device(info fs.FileInfo) uint64 { return uint64(stat(info).Dev) }

// ownedByUser reports whether the file belongs to this user.
func ownedByUser(info fs.FileInfo) bool { return int(stat(info).Uid) == os.Geteuid() }

// hasOtherLinks reports whether the file has further hard links.
func hasOtherLinks(info fs.FileInfo) bool { return stat(info).Nlink > 1 }

// linkCount returns the number of names of the file.
func linkCount(info fs.FileInfo) int { return int(stat(info).Nlink) }

// foreignOwner returns the owner of the file and reports whether that is another user,
// whose file this user cannot create.
func foreignOwner(info fs.FileInfo) (uid int, foreign bool) {
	return int(stat(info).Uid), !ownedByUser(info) && os.Geteuid() != 0
}

// sameOwner reports whether two files have the same owner and group.
func sameOwner(a, b fs.FileInfo) bool {
	return stat(a).Uid == stat(b).Uid && stat(a).Gid == stat(b).Gid
}

// copyOwner gives f the owner and group of old, as far as that is permitted.
func copyOwner(f *os.File, old fs.FileInfo) {
	st := stat(old)
	if f.Chown(int(st.Uid), int(st.Gid)) != nil {
		_ = f.Chown(-1, int(st.Gid))
	}
}

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
