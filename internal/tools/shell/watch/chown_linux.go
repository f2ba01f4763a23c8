//go:build amd64 || arm64

package watch

import (
	"errors"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// chown gives what exists at a path the owner and group in two arguments. A strict command may only
// give it those that it has: undo could often not restore others. Even that would remove some bits
// of the mode, so nothing is changed.
func (c *change) chown(dir, path, owner int, follow bool) (why string, err error) {
	if !c.order.Strict {
		return "", nil
	}
	p, err := c.place(dir, path, follow)
	if err == nil && !p.exists {
		err = unix.ENOENT
	}
	return c.chownTo(p.info, err, owner)
}

// chownAt is fchownat, whose path may be empty: then it changes an open file.
func (c *change) chownAt() (why string, err error) {
	flags := c.n.Args[4]
	if flags&unix.AT_EMPTY_PATH != 0 {
		if text, err := c.text(1); err == nil && text == "" {
			return c.chownOpen(2)
		}
	}
	return c.chown(0, 1, 2, flags&unix.AT_SYMLINK_NOFOLLOW == 0)
}

// chownOpen is chown for a descriptor.
func (c *change) chownOpen(owner int) (why string, err error) {
	if !c.order.Strict {
		return "", nil
	}
	var info syscall.Stat_t
	err = syscall.Stat(string(c.task())+"/fd/"+strconv.Itoa(int(int32(c.n.Args[0]))), &info)
	if errors.Is(err, unix.ENOENT) {
		err = unix.EBADF
	}
	return c.chownTo(info, err, owner)
}

// chownTo is chown for what was found, or the error of looking for it.
func (c *change) chownTo(info syscall.Stat_t, err error, owner int) (why string, _ error) {
	const keeps = ^uint32(0) // an argument that leaves the owner or the group as it is
	c.act = func() error { return err }
	user, group := uint32(c.n.Args[owner]), uint32(c.n.Args[owner+1])
	if err == nil && (user != keeps && user != info.Uid || group != keeps && group != info.Gid) {
		return "it changes the owner or group", nil
	}
	return "", err
}
