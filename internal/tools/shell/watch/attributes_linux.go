//go:build amd64 || arm64

package watch

import (
	"errors"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// chmod changes the mode of what exists at a path.
func (c *change) chmod(dir, path, mode int, follow bool) (why string, err error) {
	to := uint32(c.n.Args[mode])
	keep := func(p place) string { return c.keepMode(p, to) }
	return c.existing(dir, path, follow, keep, func(file string) error { return unix.Chmod(file, to) })
}

// chmodOpen changes the mode of an open file. If act makes the call, the descriptor is read once: the
// thread can make it refer to another file meanwhile.
func (c *change) chmodOpen() (why string, err error) {
	fd, mode := int32(c.n.Args[0]), uint32(c.n.Args[1])
	if !c.acts {
		path, err := c.task.descriptor(fd)
		if err != nil {
			return "", err
		}
		return c.keepModeAt(path, mode)
	}
	file, err := unix.Open(string(c.task)+"/fd/"+strconv.Itoa(int(fd)), unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		err = unix.EBADF
	}
	if err == nil && !c.l.Waits(c.n) {
		unix.Close(file)
		err = unix.ESRCH
	}
	if err != nil {
		return "", err
	}
	c.act = func() error {
		defer unix.Close(file)
		return unix.Chmod(ownDescriptor(file), mode)
	}
	path, err := readlink(ownDescriptor(file))
	if err == nil {
		why, err = c.keepModeAt(path, mode)
	}
	if why != "" || err != nil {
		unix.Close(file)
	}
	return why, err
}

// keepModeAt is keepMode for the path of an open file, which may be one whose changes are not kept.
func (c *change) keepModeAt(path string, mode uint32) (why string, err error) {
	if !c.w.order.wanted(path) && !slices.Contains(c.w.order.Roots, path) {
		return "", nil
	}
	p, err := look(path)
	if err != nil || !p.exists {
		return "", err
	}
	return c.keepMode(p, mode), nil
}

// chown gives what exists at a path the owner and group in two arguments. A strict command may only
// give it those that it has: undo could often not restore others. Even that would remove some bits
// of the mode, so nothing is changed.
func (c *change) chown(dir, path, owner int, follow bool) (why string, err error) {
	if !c.w.order.Strict {
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
	if !c.w.order.Strict {
		return "", nil
	}
	var info syscall.Stat_t
	err = syscall.Stat(string(c.task)+"/fd/"+strconv.Itoa(int(int32(c.n.Args[0]))), &info)
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
