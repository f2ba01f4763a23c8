//go:build unix

package settings

import (
	"fmt"
	"io/fs"
	"runtime"
	"syscall"
)

// openFlags opens a file without waiting for the writer of a pipe.
const openFlags = syscall.O_NONBLOCK

func systemPath() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/agent/policy.json"
	}
	return "/etc/agent/policy.json"
}

// checkOwner returns an error, which continues a sentence, if anybody but the user with
// the ID uid can write a file or directory.
func checkOwner(info fs.FileInfo, uid int) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) != uid {
		return fmt.Errorf("must belong to user %d (chown %d)", uid, uid)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("must not be writable by other users (chmod go-w)")
	}
	return nil
}
