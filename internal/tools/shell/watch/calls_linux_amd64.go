package watch

import (
	"golang.org/x/sys/unix"
)

// oldCalls returns the system calls that newer architectures do not have.
func oldCalls(held func(uintptr, func(*change) (string, error)) heldCall, opens func(number uintptr, dir, path, flags int) heldCall) []heldCall {
	return []heldCall{
		opens(unix.SYS_OPEN, working, 0, 1),
		held(unix.SYS_CREAT, func(c *change) (string, error) {
			return c.open(working, 0, unix.O_CREAT|unix.O_WRONLY|unix.O_TRUNC, uint32(c.n.Args[1]))
		}),
		held(unix.SYS_CHMOD, func(c *change) (string, error) { return c.chmod(working, 0, 1, true) }),
		held(unix.SYS_CHOWN, func(c *change) (string, error) { return c.chown(working, 0, 1, true) }),
		held(unix.SYS_LCHOWN, func(c *change) (string, error) { return c.chown(working, 0, 1, false) }),
		held(unix.SYS_UTIME, func(c *change) (string, error) { return c.times(working, 0, 1, 0, seconds) }),
		held(unix.SYS_UTIMES, func(c *change) (string, error) { return c.times(working, 0, 1, 0, microseconds) }),
		held(unix.SYS_FUTIMESAT, func(c *change) (string, error) { return c.times(0, 1, 2, 0, microseconds) }),
		held(unix.SYS_UNLINK, func(c *change) (string, error) { return c.removed(working, 0, 0) }),
		held(unix.SYS_RMDIR, func(c *change) (string, error) { return c.removed(working, 0, unix.AT_REMOVEDIR) }),
		held(unix.SYS_MKDIR, func(c *change) (string, error) { return c.createdDir(working, 0, 1) }),
		held(unix.SYS_MKNOD, func(c *change) (string, error) { return c.created(working, 0, false, c.actor.makeNode(1, 2)) }),
		held(unix.SYS_SYMLINK, func(c *change) (string, error) { return c.created(working, 1, true, c.actor.makeLink(0)) }),
		held(unix.SYS_LINK, func(c *change) (string, error) { return c.link(working, 0, working, 1, false) }),
		held(unix.SYS_RENAME, func(c *change) (string, error) { return c.rename(working, 0, working, 1, 0) }),
	}
}
