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

// nonblock keeps an open from waiting for the other end of a FIFO.
const nonblock = syscall.O_NONBLOCK

// stat returns what this system says of a file. info comes from package os.
func stat(info fs.FileInfo) *syscall.Stat_t { return info.Sys().(*syscall.Stat_t) }

// inode tells a file from another that took its name.
func inode(info fs.FileInfo) uint64 { return stat(info).Ino }

// mine reports whether the file belongs to this user.
func mine(info fs.FileInfo) bool { return int(stat(info).Uid) == os.Geteuid() }

// otherNames reports whether the file would still be there without this name.
func otherNames(info fs.FileInfo) bool { return stat(info).Nlink > 1 }

// cautions are what a user should know before the file is replaced by a new one
// of the same name.
func cautions(name string, info fs.FileInfo) []string {
	var out []string
	if otherNames(info) {
		out = append(out, fmt.Sprintf("%s has %d hard links: its other names keep the old content", name, stat(info).Nlink))
	}
	if !mine(info) {
		out = append(out, fmt.Sprintf("%s belongs to another user (uid %d): it will belong to you", name, stat(info).Uid))
	}
	return out
}

// keepGroup gives f the group of the file it replaces, where that is allowed.
func keepGroup(f *os.File, old fs.FileInfo) { _ = f.Chown(-1, int(stat(old).Gid)) }

// syncDir makes a rename in a directory last, where its file system can.
func syncDir(d *os.File) error {
	err := d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// announce says, for as long as the directory is open, that somebody writes in
// it. It does not wait for whoever is alone there, who may have other plans: what
// is written now is too young to be taken for left over.
func announce(d *os.File) { _ = unix.Flock(int(d.Fd()), unix.LOCK_SH|unix.LOCK_NB) }

// alone reports whether nobody else has announced that it writes in the
// directory, and keeps them out until announce or its end.
func alone(d *os.File) bool { return unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil }
