//go:build unix

package tools

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// announce says, for as long as the directory is open, that somebody writes in
// it. It does not wait for whoever is alone there, who may have other plans: what
// is written now is too young to be taken for left over.
func announce(d *os.File) { _ = unix.Flock(int(d.Fd()), unix.LOCK_SH|unix.LOCK_NB) }

// alone reports whether nobody else has announced that it writes in the
// directory, and keeps them out until announce or its end.
func alone(d *os.File) bool { return unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil }

func mine(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// otherNames reports whether the file would still be there without this name.
func otherNames(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}
