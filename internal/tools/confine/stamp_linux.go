package confine

import (
	"os"
	"syscall"
)

// readFlags keep a read from waiting for a pipe and from following a link.
const readFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

func stampOf(info os.FileInfo) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.device, s.inode, s.ctime = uint64(sys.Dev), sys.Ino, sys.Ctim.Nano()
	}
	return s
}
