//go:build unix

package undo

import (
	"fmt"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/unix"

	"agent/internal/tools/snapshot"
)

// giveOwner gives a new file at temp the owner and group of to. If they are not known, it
// gives it those of the file at p that it replaces, or of its directory, as far as that is
// permitted. It reports whether the file has the owner and group of to.
func (p rootPath) giveOwner(temp string, to snapshot.State) bool {
	var uid, gid int
	if n, _ := fmt.Sscanf(to.Owner, "%d:%d", &uid, &gid); n == 2 {
		if p.open.Lchown(temp, uid, gid) == nil {
			return true
		}
		_ = p.open.Lchown(temp, -1, gid)
		return false
	}
	info, err := p.open.Lstat(p.rel)
	if err != nil {
		if info, err = p.open.Lstat(path.Dir(p.rel)); err != nil || os.Geteuid() != 0 {
			return true
		}
	}
	st := info.Sys().(*syscall.Stat_t)
	uid = -1
	if os.Geteuid() == 0 {
		uid = int(st.Uid)
	}
	_ = p.open.Lchown(temp, uid, int(st.Gid))
	return true
}

// linkTo makes the path to, which is a name in its directory like p, another name of the
// file at p. It follows no symbolic links.
func (p rootPath) linkTo(to rootPath) error {
	from, err := p.open.Open(".")
	if err != nil {
		return err
	}
	defer from.Close()
	dir, err := to.open.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return unix.Linkat(int(from.Fd()), p.rel, int(dir.Fd()), to.rel, 0)
}
