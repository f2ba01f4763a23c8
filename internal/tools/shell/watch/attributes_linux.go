//go:build amd64 || arm64

package watch

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// chmod changes the mode of what exists at a path.
func (c *change) chmod(dir, path, mode int, follow bool) (why string, err error) {
	to := uint32(c.n.Args[mode])
	keep := func(p place) string { return c.keepMode(p, to) }
	return c.existing(dir, path, follow, keep, func(file string) error { return unix.Chmod(file, to) })
}

// chmodOpen changes the mode of an open file.
func (c *change) chmodOpen() (why string, err error) {
	mode := uint32(c.n.Args[1])
	keep := func(path string) (string, error) { return c.keepModeAt(path, mode) }
	return c.existingOpen(0, keep, func(file string) error { return unix.Chmod(file, mode) })
}

// existingOpen is existing for an open file, whose descriptor is in an argument. If act makes the call,
// the descriptor is read once: the thread can make it refer to another file meanwhile.
func (c *change) existingOpen(arg int, keep func(path string) (string, error), change func(file string) error) (why string, err error) {
	fd := int32(c.n.Args[arg])
	link := string(c.task) + "/fd/" + strconv.Itoa(int(fd))
	if fd == unix.AT_FDCWD {
		link = string(c.task) + "/cwd"
	}
	file, err := unix.Open(link, unix.O_PATH|unix.O_CLOEXEC, 0)
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
	path, err := readlink(ownDescriptor(file))
	if err == nil {
		why = c.unshareOpen(file, path)
	}
	if err == nil && why == "" {
		why, err = keep(path)
	}
	if !c.acts || why != "" || err != nil {
		unix.Close(file)
		return why, err
	}
	c.act = func() error {
		defer unix.Close(file)
		return c.apart(change)(ownDescriptor(file))
	}
	return "", nil
}

// unshareOpen is unshare for an open file. A file that was removed, but still has a name, may be kept
// for an earlier turn; then its change is refused.
func (c *change) unshareOpen(file int, path string) (why string) {
	var info unix.Stat_t
	if unix.Fstat(file, &info) != nil {
		return ""
	}
	if _, err := c.w.keeper.links.unshare(info.Dev, info.Ino); err != nil {
		return c.w.refusals.refuse(path, err.Error())
	}
	if !strings.HasSuffix(path, " (deleted)") || info.Mode&unix.S_IFMT != unix.S_IFREG {
		return ""
	}
	if p, err := look(path); err == nil && p.exists && p.info.Ino == info.Ino && p.info.Dev == info.Dev {
		return "" // this is its name
	}
	if unix.Fstat(file, &info) == nil && info.Nlink > 0 {
		return c.w.refusals.refuse(path, "it was removed, but has another name")
	}
	return ""
}

// timeUnit is the unit of the second number of each time in the memory of a process.
type timeUnit int64

const (
	nanoseconds  timeUnit = 1
	microseconds timeUnit = 1000
	seconds      timeUnit = 0 // there is no second number
)

// times is a call that changes the times of a file. Undo needs the time of modification: it shows
// whether a program has changed a kept file.
func (c *change) times(dir, path, times, flags int, unit timeUnit) (why string, err error) {
	set := func(file string) error {
		to, err := c.timesIn(times, unit)
		if err != nil {
			return err
		}
		return unix.UtimesNanoAt(unix.AT_FDCWD, file, to, 0)
	}
	ignore := func(string) (string, error) { return "", nil }
	isOpen := dir != working && c.n.Args[path] == 0 && int32(c.n.Args[dir]) != unix.AT_FDCWD
	if flags&unix.AT_EMPTY_PATH != 0 {
		text, err := c.text(path)
		isOpen = isOpen || err == nil && text == ""
	}
	if isOpen {
		return c.existingOpen(dir, ignore, set)
	}
	return c.existing(dir, path, flags&unix.AT_SYMLINK_NOFOLLOW == 0, func(place) string { return "" }, set)
}

// timesIn reads the two times at the address in an argument. It returns nil for the current time.
func (c *change) timesIn(arg int, unit timeUnit) ([]unix.Timespec, error) {
	if c.n.Args[arg] == 0 {
		return nil, nil
	}
	numbers := make([]int64, 4)
	if unit == seconds {
		numbers = numbers[:2]
	}
	memory := make([]byte, 8*len(numbers))
	if n, err := c.n.Memory(arg, memory); err != nil || n < len(memory) {
		return nil, unix.EFAULT
	}
	for i := range numbers {
		numbers[i] = int64(binary.NativeEndian.Uint64(memory[8*i:]))
	}
	if unit == seconds {
		return []unix.Timespec{{Sec: numbers[0]}, {Sec: numbers[1]}}, nil
	}
	if unit == microseconds && (uint64(numbers[1]) >= 1e6 || uint64(numbers[3]) >= 1e6) {
		return nil, unix.EINVAL
	}
	return []unix.Timespec{{Sec: numbers[0], Nsec: numbers[1] * int64(unit)}, {Sec: numbers[2], Nsec: numbers[3] * int64(unit)}}, nil
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
