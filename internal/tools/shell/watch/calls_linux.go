//go:build amd64 || arm64

package watch

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/sandbox"
)

// heldCall is a system call that changes the tree of files or opens a file for writing.
type heldCall struct {
	sandbox.Held
	// handle keeps what the call changes. It returns why the call is refused; "" if it is
	// not. An error means that this is unknown.
	handle func(c *change) (why string, err error)
}

// working stands for the directory argument of calls that have none, because their paths
// are relative to the working directory.
const working = -1

// writing are the flags of open that can change a file.
const writing = unix.O_WRONLY | unix.O_RDWR | unix.O_TRUNC | unix.O_CREAT

// calls returns the system calls to hold. The handlers get the numbers of the arguments
// with the directory, the path and the flags.
func calls() []heldCall {
	held := func(number uintptr, handle func(*change) (string, error)) heldCall {
		return heldCall{sandbox.Held{Number: number}, handle}
	}
	opens := func(number uintptr, dir, path, flags int) heldCall {
		return heldCall{sandbox.Held{Number: number, Arg: flags, Bits: writing}, func(c *change) (string, error) {
			return c.open(dir, path, int(c.n.Args[flags]), uint32(c.n.Args[flags+1]))
		}}
	}
	list := []heldCall{
		opens(unix.SYS_OPENAT, 0, 1, 2),
		held(unix.SYS_OPENAT2, (*change).open2),
		held(unix.SYS_LANDLOCK_CREATE_RULESET, (*change).landlock),
		held(unix.SYS_TRUNCATE, func(c *change) (string, error) {
			return c.existing(working, 0, true, c.keep, func(file string) error { return c.actor.resize(file, int64(c.n.Args[1])) })
		}),
		held(unix.SYS_FCHMODAT, func(c *change) (string, error) { return c.chmod(0, 1, 2, true) }),
		held(unix.SYS_FCHMODAT2, func(c *change) (string, error) { return c.chmod(0, 1, 2, c.n.Args[3]&unix.AT_SYMLINK_NOFOLLOW == 0) }),
		held(unix.SYS_FCHMOD, (*change).chmodOpen),
		held(unix.SYS_FCHOWN, func(c *change) (string, error) { return c.chownOpen(1) }),
		held(unix.SYS_FCHOWNAT, (*change).chownAt),
		held(unix.SYS_UTIMENSAT, func(c *change) (string, error) {
			return c.times(0, 1, 2, int(c.n.Args[3]), nanoseconds)
		}),
		held(unix.SYS_UNLINKAT, func(c *change) (string, error) { return c.removed(0, 1, int(c.n.Args[2])) }),
		held(unix.SYS_MKDIRAT, func(c *change) (string, error) { return c.createdDir(0, 1, 2) }),
		held(unix.SYS_MKNODAT, func(c *change) (string, error) { return c.created(0, 1, false, c.actor.makeNode(2, 3)) }),
		held(unix.SYS_SYMLINKAT, func(c *change) (string, error) { return c.created(1, 2, true, c.actor.makeLink(0)) }),
		held(unix.SYS_LINKAT, func(c *change) (string, error) {
			return c.link(0, 1, 2, 3, c.n.Args[4]&unix.AT_SYMLINK_FOLLOW != 0)
		}),
		held(unix.SYS_RENAMEAT, func(c *change) (string, error) { return c.rename(0, 1, 2, 3, 0) }),
		held(unix.SYS_RENAMEAT2, func(c *change) (string, error) { return c.rename(0, 1, 2, 3, uint(c.n.Args[4])) }),
	}
	return append(list, oldCalls(held, opens)...)
}

// Calls returns the system calls that a Watcher serves.
func Calls() (out []sandbox.Held) {
	for _, c := range calls() {
		out = append(out, c.Held)
	}
	return out
}

// errNoFile is the error of a path that leads to a pipe or socket, or that is too long.
var errNoFile = errors.New("the path is not in the tree of files")

// harmless reports whether an error means that the system call changes no file.
func harmless(err error) bool {
	none := []error{fs.ErrNotExist, errNoFile, unix.ENOTDIR, unix.EACCES, unix.ELOOP, unix.EFAULT, unix.ESRCH, unix.EBADF, unix.ENOSYS, unix.EOPNOTSUPP}
	return slices.ContainsFunc(none, func(e error) bool { return errors.Is(err, e) })
}

// open is a call that opens a file.
func (c *change) open(dir, path, flags int, mode uint32) (why string, err error) {
	if c.acts && flags&unix.O_PATH != 0 { // it opens no file, and its flags cannot change
		c.acts = false
		return "", nil
	}
	exclusive := flags&unix.O_CREAT != 0 && flags&unix.O_EXCL != 0
	p, err := c.place(dir, path, !exclusive && flags&unix.O_NOFOLLOW == 0)
	c.act = func() error { return c.actor.openPlace(&p, flags, mode) }
	c.opens, c.flags = true, flags
	switch {
	case err != nil:
		return "", err
	case p.nameless == "" && !p.exists && flags&unix.O_CREAT != 0, p.file() && !exclusive:
		return c.keep(p), nil
	case p.nameless == "" && p.exists && exclusive && p.slash && p.path != "/":
		c.act = func() error { return c.actor.failsWith(&p, unix.EISDIR) }
	case p.nameless == "" && p.exists && exclusive:
		c.act = func() error { return c.actor.failsWith(&p, unix.EEXIST) }
	case p.nameless == "" && !p.exists:
		c.act = func() error { return c.actor.failsWith(&p, unix.ENOENT) }
	}
	return "", nil
}

// open2 is openat2, whose flags are in memory.
func (c *change) open2() (why string, err error) {
	if c.acts { // its flags could change; programs use openat instead
		return "", unix.ENOSYS
	}
	how := make([]byte, 24) // struct open_how: flags, mode, resolve
	if n, err := c.n.Memory(2, how); err != nil || n < len(how) {
		return "", err
	}
	flags := binary.NativeEndian.Uint64(how)
	if flags&writing == 0 {
		return "", nil
	}
	if binary.NativeEndian.Uint64(how[16:])&(unix.RESOLVE_IN_ROOT) != 0 {
		// An absolute path begins at the directory, too.
		return c.openInRoot(int(flags))
	}
	return c.open(0, 1, int(flags), 0)
}

// openInRoot is openat2 with a directory as the root of the path.
func (c *change) openInRoot(flags int) (why string, err error) {
	text, err := c.text(1)
	if err != nil {
		return "", err
	}
	p, err := c.task.find(int32(c.n.Args[0]), "./"+text, flags&unix.O_NOFOLLOW == 0)
	if err != nil || p.exists && !p.file() {
		return "", err
	}
	return c.keep(p), nil
}

// missing lets act fail, because nothing is at a place, so nothing was kept. Act itself checks
// files without a path.
func (c *change) missing(p *place) {
	if p.nameless != "" {
		return
	}
	c.act = func() error { return c.actor.failsWith(p, unix.ENOENT) }
}

// landlock is the first call of a program that restricts itself with Landlock. That would
// not restrict calls that this process makes, so Landlock then looks turned off.
func (c *change) landlock() (why string, err error) {
	if c.acts {
		return "", unix.EOPNOTSUPP
	}
	return "", nil
}

// existing is a call that changes what exists at a path. keep keeps its state. change makes the call
// for a file in /proc/self/fd.
func (c *change) existing(dir, path int, follow bool, keep func(place) string, change func(string) error) (why string, err error) {
	p, err := c.place(dir, path, follow)
	c.act = func() error { return c.actor.changePlace(&p, c.apart(change)) }
	if err != nil || !p.exists {
		c.missing(&p)
		return "", err
	}
	return keep(p), nil
}

// apart returns change for a file in /proc/self/fd, while no call links it into the store.
func (c *change) apart(change func(string) error) func(string) error {
	return func(file string) error {
		return c.w.keeper.links.apart(file, func() error { return change(file) })
	}
}

// removed is a call that removes what exists at a path.
func (c *change) removed(dir, path, flags int) (why string, err error) {
	p, err := c.name(dir, path)
	p.dropped = true
	c.act = func() error {
		err := c.actor.remove(&p, flags)
		if err == nil && p.dir() {
			c.w.births.forgetMade(p.path)
		}
		return err
	}
	if err != nil || !p.exists {
		c.missing(&p)
		return "", err
	}
	if c.acts && flags&unix.AT_REMOVEDIR != 0 && p.dir() && c.w.git.hasGitName(c.call, p.path) && hasHead(p.path) { // git stash tries it
		c.act = func() error { return c.actor.failsWith(&p, unix.ENOTEMPTY) }
		return "", nil
	}
	return c.keepAs(p, taken), nil
}

// created is a call that creates something at a path, perhaps a symbolic link. It fails if something
// is there. make makes it with the directory and the name.
func (c *change) created(dir, path int, link bool, make func(dir int, name string) error) (why string, err error) {
	p, err := c.name(dir, path)
	p.link = link
	return c.createdAt(p, err, make)
}

// createdAt is created for a place, and the error with which it was looked up.
func (c *change) createdAt(p place, err error, make func(dir int, name string) error) (why string, _ error) {
	c.act = func() error { return c.actor.create(&p, make) }
	if err != nil || p.exists {
		c.act = func() error { return c.actor.failsWith(&p, unix.EEXIST) }
		return "", err
	}
	if c.w.git.hasGitName(c.call, p.path) { // its removal in this turn loses nothing
		c.w.keeper.keep(c.call, p.path, nil)
	}
	return c.keep(p), nil
}

// createdDir is created for a directory, which it adds to births.
func (c *change) createdDir(dir, path, mode int) (why string, err error) {
	why, err = c.created(dir, path, false, func(dir int, name string) error {
		return c.task.withUmask(func() error { return unix.Mkdirat(dir, name, uint32(c.n.Args[mode])) })
	})
	p, gone := c.name(dir, path)
	if why != "" || err != nil || gone != nil || p.exists {
		return why, err
	}
	if !c.acts { // the kernel makes it later
		c.w.births.noteMade(p.path, birth{})
		return "", nil
	}
	create := c.act
	c.act = func() error {
		err := create()
		if made := birthOf(p.path); err == nil && made != (birth{}) {
			c.w.births.noteMade(p.path, made)
		}
		return err
	}
	return "", nil
}

// link creates a second name for a file. A later write through one of the names changes
// both, so both are kept.
func (c *change) link(fromDir, from, toDir, to int, follow bool) (why string, err error) {
	var file string // in /proc/self/fd
	linked, err := c.place(fromDir, from, follow)
	if err != nil {
		return "", err
	}
	if c.acts && c.w.git.isKeptObject(c.call, linked.path) { // git then copies it
		c.act = func() error { return unix.EXDEV }
		return "", nil
	}
	make := func(dir int, name string) error {
		return unix.Linkat(unix.AT_FDCWD, file, dir, name, unix.AT_SYMLINK_FOLLOW)
	}
	at, err := c.name(toDir, to)
	at.link = linked.is(unix.S_IFLNK)
	if why, err = c.createdAt(at, err, make); why != "" || err != nil {
		return why, err
	}
	create := c.act
	return c.existing(fromDir, from, follow, c.keep, func(from string) error {
		file = from
		return create()
	})
}

// rename gives a file or directory another name, or exchanges two.
func (c *change) rename(fromDir, from, toDir, to int, flags uint) (why string, err error) {
	old, err := c.name(fromDir, from)
	if err != nil || !old.exists && !c.acts {
		return "", err
	}
	replaced, err := c.name(toDir, to)
	c.act = func() error { return c.actor.move(&old, &replaced, flags) }
	switch {
	case err != nil:
		return "", err
	case !old.exists, flags&unix.RENAME_EXCHANGE != 0 && !replaced.exists:
		c.act = func() error { return c.actor.moveNothing(old, &replaced, flags, unix.ENOENT) }
		return "", nil
	case flags&unix.RENAME_NOREPLACE != 0 && replaced.exists:
		c.act = func() error { return c.actor.moveNothing(old, &replaced, flags, unix.EEXIST) }
		return "", nil
	}
	exchange := flags&unix.RENAME_EXCHANGE != 0
	if why, err = c.keepRename(old, replaced, exchange); why != "" || err != nil {
		return why, err
	}
	ways := [][2]string{{old.path, replaced.path}, {replaced.path, old.path}}
	for _, way := range ways {
		if why == "" && c.w.order.Strict && isGitDir(way[0]) {
			why = c.w.paths.reportAs(way[1], c.w.births.isMade(way[0]))
		}
	}
	done := map[string]bool{}
	report := func() {
		for _, way := range ways {
			if why == "" && !c.w.paths.moveReported(way[0], way[1], done) {
				why = c.w.refusals.refuse(way[1], tooManyRepositories)
			}
		}
	}
	report()
	c.w.births.moveMade(old, replaced)
	move := c.act
	c.act = func() error {
		failed := move()
		report() // what another thread has created since then
		if failed == nil {
			c.w.paths.reportMoved(c.call, replaced.path)
			if exchange {
				c.w.paths.reportMoved(c.call, old.path)
			}
		}
		return failed
	}
	return why, nil
}

// keepRename keeps what a rename changes: both places, and what is below them.
func (c *change) keepRename(old, replaced place, exchange bool) (why string, err error) {
	replaced.link = old.is(unix.S_IFLNK)
	old.link = exchange && replaced.is(unix.S_IFLNK)
	from, to := taken, put
	if exchange {
		from, to = exchanged, exchanged
	}
	replaced.source, replaced.dropped = &old, !exchange
	for _, p := range []struct {
		place
		how manner
	}{{old, from}, {replaced, to}} {
		if c.w.order.holdsRoot(p.path) {
			why = c.w.refusals.refuse(p.path, "the workspace is in it")
		}
		if why == "" {
			why = c.keepAs(p.place, p.how)
		}
		if why != "" {
			return why, nil
		}
	}
	why, err = c.renameTree(old, replaced)
	if why == "" && err == nil && exchange {
		why, err = c.renameTree(replaced, old)
	}
	return why, err
}

// renameTree keeps everything below a directory that is renamed, and the files that are at
// the new names.
func (c *change) renameTree(from, to place) (why string, err error) {
	kept := func(path string) bool { return c.w.order.wanted(path) || c.w.git.isGitState(path) }
	if !from.dir() || !kept(from.path) && !kept(to.path) {
		return "", nil
	}
	seen := 0
	err = filepath.WalkDir(from.path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == from.path {
			return err
		}
		if seen++; seen%64 == 0 && !c.l.Waits(c.n) {
			return fs.SkipAll
		}
		moved := to.path + path[len(from.path):]
		if why = c.w.paths.refuseMoved(c.call, path, moved); why != "" {
			return fs.SkipAll
		}
		old, err := look(path)
		if err != nil {
			return err
		}
		replaced, err := look(moved)
		if err != nil {
			return err
		}
		replaced.source = &old
		if why = c.keepRenamed(old, taken); why == "" {
			why = c.keepRenamed(replaced, put)
		}
		if why != "" {
			return fs.SkipAll
		}
		if d.IsDir() && strings.EqualFold(d.Name(), ".git") {
			return fs.SkipDir
		}
		return nil
	})
	return why, err
}
