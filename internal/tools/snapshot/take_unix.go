//go:build unix

package snapshot

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// nonblock makes opening a named pipe return immediately.
const nonblock = syscall.O_NONBLOCK

// unrestorable says why a regular file cannot be restored; empty if it can be. The
// superuser can give a file back to its owner.
func unrestorable(info fs.FileInfo) string {
	st := info.Sys().(*syscall.Stat_t)
	switch uid := os.Geteuid(); {
	case st.Nlink > 1:
		return LostLinks
	case uid != 0 && int(st.Uid) != uid:
		return LostOwner
	}
	return ""
}

// stamp returns the State.Stamp of a file.
func stamp(info fs.FileInfo) string {
	st := info.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%d:%d:%d:%d:%d", st.Dev, st.Ino, info.Size(), info.ModTime().UnixNano(), changed(st))
}
