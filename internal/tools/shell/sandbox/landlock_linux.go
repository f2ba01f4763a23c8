//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Kinds of access that Landlock can restrict.
const (
	changeFiles = unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	changeDirs  = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM
)

// Versions of Landlock that add what the sandbox uses.
const (
	withRefer    = 2 // renames between directories; without it all of them fail
	withTruncate = 3
	withScopes   = 6 // signals and abstract Unix sockets
)

// landlockVersion returns the version of Landlock, or 0.
func landlockVersion() int {
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// devices are the device files that commands may write to. All others, such as disks,
// are read-only.
var devices = [...]string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"}

// restrict limits writes to the writable entries of a layout and to devices. Rules
// refer to files as the child sees them, so it opens them itself.
func (s *steps) restrict(layout []entry, mounts bool) error {
	version := landlockVersion()
	if version == 0 || !mounts && version < withTruncate {
		return errors.New("this kernel has no Landlock, or one that is too old")
	}
	files, dirs := uint64(changeFiles), uint64(changeDirs)
	if version >= withRefer {
		dirs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= withTruncate {
		files |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	attr := &unix.LandlockRulesetAttr{Handled_access_fs: files | dirs}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if version >= withScopes {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		size = unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
	}
	ruleset := new(int32)
	s.add(restricting, unix.SYS_LANDLOCK_CREATE_RULESET, pointer(s, attr), size, 0).save = ruleset
	allow := func(path string, dir bool) {
		rule := &unix.LandlockPathBeneathAttr{Allowed_access: files}
		if dir {
			rule.Allowed_access |= dirs
		}
		open := s.add(restricting, unix.SYS_OPENAT, here, s.text(path), unix.O_PATH|unix.O_CLOEXEC, 0)
		open.save, open.skip = &rule.Parent_fd, 1
		add := s.add(restricting, unix.SYS_LANDLOCK_ADD_RULE, 0, unix.LANDLOCK_RULE_PATH_BENEATH, pointer(s, rule), 0)
		add.load = ruleset
	}
	for _, e := range layout {
		if e.access == write || e.access == temp {
			allow(e.path, e.dir)
		}
	}
	for _, path := range devices {
		if info, err := os.Stat(path); err == nil {
			allow(path, info.IsDir())
		}
	}
	s.add(restricting, unix.SYS_LANDLOCK_RESTRICT_SELF, 0, 0).load = ruleset
	return nil
}
