//go:build unix

package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// nonblock keeps an open from waiting for the other end of a FIFO.
const nonblock = syscall.O_NONBLOCK

// cautions are what a person should know before the file is replaced by a new
// one of the same name.
func cautions(name string, info fs.FileInfo) []string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	var out []string
	if st.Nlink > 1 {
		out = append(out, fmt.Sprintf("%s has %d hard links: its other names keep the old content", name, st.Nlink))
	}
	if int(st.Uid) != os.Geteuid() {
		out = append(out, fmt.Sprintf("%s belongs to another user (uid %d): it will belong to you", name, st.Uid))
	}
	return out
}

// keepGroup gives f the group of the file it replaces, where that is allowed.
func keepGroup(f *os.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(-1, int(st.Gid))
	}
}

// syncDir makes a rename in a directory last, where its file system can.
func syncDir(d *os.File) error {
	err := d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
