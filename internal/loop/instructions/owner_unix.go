//go:build unix

package instructions

import (
	"os"
	"syscall"
)

// trusted reports whether the user, root or the owner of dir owns the file at path.
func trusted(path, dir string) bool {
	owner, ok := ownerOf(path)
	if !ok || owner == os.Geteuid() || owner == 0 {
		return ok
	}
	own, ok := ownerOf(dir)
	return ok && owner == own
}

func ownerOf(path string) (uid int, ok bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}
