package workspace

import (
	"os"

	"golang.org/x/sys/unix"
)

// isMountPoint reports whether something is mounted at a name in dir. It returns false before
// Linux 5.8, which does not tell.
func isMountPoint(dir *os.File, name string) bool {
	var st unix.Statx_t
	err := unix.Statx(int(dir.Fd()), name, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, 0, &st)
	return err == nil && st.Attributes&st.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT != 0
}
