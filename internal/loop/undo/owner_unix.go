//go:build unix

package undo

import (
	"os"
	"path"
	"syscall"
)

// giveOwner gives a new file the owner and group of the file at p that it replaces, or
// of its directory, as far as that is permitted.
func (p place) giveOwner(f *os.File) {
	info, err := p.open.Lstat(p.rel)
	if err != nil {
		if info, err = p.open.Lstat(path.Dir(p.rel)); err != nil || os.Geteuid() != 0 {
			return
		}
	}
	st := info.Sys().(*syscall.Stat_t)
	uid := -1
	if os.Geteuid() == 0 {
		uid = int(st.Uid)
	}
	_ = f.Chown(uid, int(st.Gid))
}
