//go:build amd64 || arm64

package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/sandbox"
)

// call is a system call that waits for its answer: the paths in its arguments, and the thread that
// makes it.
type call struct {
	l       *sandbox.Listener
	n       *sandbox.Notification
	task    task            // the thread
	foreign map[uint64]bool // mounts: see foreignMounts
	git     bool            // set if the text of the command runs git

	acts bool         // set if act makes the call; otherwise the call continues
	act  func() error // makes the call; the handler sets it, and a guard can replace it

	opens bool // it opens a file, with flags
	flags int

	locked bool // it holds gitGuard.mu

	uses []*entry // whose calls include this one

	texts map[int]string // paths to read again, by the numbers of their arguments; may be nil
}

// place returns the place that two arguments of a call name.
func (c *call) place(dir, path int, follow bool) (place, error) {
	text, err := c.text(path)
	if err != nil {
		return place{}, err
	}
	p, err := c.find(dir, text, follow)
	if c.acts && p.nameless != "" && (errors.Is(err, errNoFile) || err == nil && !c.leadsTo(p)) {
		p.exists, err = false, nil
	} else {
		p.nameless = ""
	}
	p.slash = strings.HasSuffix(text, "/")
	return p, err
}

// leadsTo reports whether the file at a place is the one that its link in /proc leads to.
func (c *call) leadsTo(p place) bool {
	var info syscall.Stat_t
	err := syscall.Stat(c.task.seen(p.nameless), &info)
	return p.exists && err == nil && info.Ino == p.info.Ino && info.Dev == p.info.Dev
}

// name is place for calls that never follow a link at the end of the path, even if a slash
// follows.
func (c *call) name(dir, path int) (place, error) {
	text, err := c.text(path)
	if err != nil {
		return place{}, err
	}
	trimmed := strings.TrimRight(text, "/")
	if trimmed == "" {
		trimmed = text
	}
	p, err := c.find(dir, trimmed, false)
	p.slash = trimmed != text
	if _, last := split(trimmed); last == "." || last == ".." {
		p.dots = last
	}
	return p, err
}

// find returns the place of a path that begins at a directory in an argument.
func (c *call) find(dir int, text string, follow bool) (place, error) {
	from := int32(unix.AT_FDCWD)
	if dir != working {
		from = int32(c.n.Args[dir])
	}
	p, err := c.task.find(from, text, follow)
	if err == nil && !c.l.Waits(c.n) {
		return p, unix.ESRCH
	}
	return p, err
}

// text returns the path in an argument. It fails with errNoFile if no file can have it.
func (c *call) text(arg int) (string, error) {
	text, err := c.n.Text(arg)
	if err == nil && c.texts != nil {
		c.texts[arg] = text
	}
	isLong := func(name string) bool { return len(name) > unix.NAME_MAX }
	if errors.Is(err, unix.ENAMETOOLONG) || slices.ContainsFunc(strings.Split(text, "/"), isLong) {
		return "", errNoFile
	}
	return text, err
}

// isReplaced reports whether an argument is another path than the one that was checked.
func (c *call) isReplaced() bool {
	for arg, text := range c.texts {
		if now, err := c.n.Text(arg); err == nil && now != text {
			return true
		}
	}
	return false
}

// openInside opens a file of the thread with O_PATH without following links.
func (c *call) openInside(path string, flags uint64) (int, error) {
	root, err := unix.Open(c.task.seen("/"), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(root)
	if !c.l.Waits(c.n) {
		return -1, unix.ESRCH
	}
	return openBelow(root, path, flags, unix.RESOLVE_IN_ROOT|unix.RESOLVE_NO_SYMLINKS)
}

// openBelow opens a path with O_PATH.
func openBelow(dir int, path string, flags, resolve uint64) (fd int, err error) {
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC | flags, Resolve: resolve}
	for {
		fd, err = unix.Openat2(dir, path, how)
		if err != unix.EAGAIN && err != unix.EINTR {
			return fd, err
		}
	}
}

// parent opens the directory of a place. It also returns the name of the place in it.
func (c *call) parent(p *place) (dir int, name string, err error) {
	path, name := split(p.path)
	switch {
	case p.dots != "":
		path, name = p.path, p.dots
	case name == "":
		name = "."
	}
	if p.slash {
		name += "/"
	}
	dir, err = c.openInside(path, unix.O_DIRECTORY)
	return dir, name, err
}

// moved opens the directory of a place that is to be removed or renamed. It fails if
// something is mounted at the place: only the kernel of the command's mounts would see that.
func (c *call) moved(p *place) (dir int, name string, err error) {
	dir, name, err = c.parent(p)
	if err != nil {
		return dir, name, err
	}
	fd, err := openBelow(dir, strings.TrimSuffix(name, "/"), 0, unix.RESOLVE_NO_XDEV)
	switch {
	case err == nil:
		unix.Close(fd)
	case errors.Is(err, unix.ENOENT):
		err = nil
	case errors.Is(err, unix.EXDEV):
		err = unix.EBUSY
	}
	if err != nil {
		unix.Close(dir)
	}
	return dir, name, err
}

// bothMoved is moved for the two places of a rename. The caller closes both directories.
func (c *call) bothMoved(from, to *place) (fromDir int, fromName string, toDir int, toName string, err error) {
	if fromDir, fromName, err = c.moved(from); err != nil {
		return -1, "", -1, "", err
	}
	if toDir, toName, err = c.moved(to); err != nil {
		unix.Close(fromDir)
		return -1, "", -1, "", err
	}
	return fromDir, fromName, toDir, toName, nil
}

// runsGit reports whether git makes the call, in a command whose text runs git.
func (c *call) runsGit() bool { return c.git && c.isGit() }

// isReadOnly reports whether a place is on a file system that is read-only for the command. A link
// at the place is not followed.
func (c *call) isReadOnly(p place) bool {
	path := p.path
	if !p.exists {
		path = filepath.Dir(path)
	}
	fd, err := c.openInside(path, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var s unix.Statfs_t
	return unix.Fstatfs(fd, &s) == nil && s.Flags&unix.ST_RDONLY != 0
}

// isForeign reports whether only the command sees what is at a place: see foreignMounts. The mount
// of a place decides, not what this process finds there, because other processes can replace a
// directory between two looks. A place whose mount is unknown is not foreign: then it is kept, or
// cannot be changed.
func (c *call) isForeign(p place) bool {
	if len(c.foreign) == 0 {
		return false
	}
	path := p.path
	if !p.exists {
		path = filepath.Dir(path)
	}
	for ; ; path = filepath.Dir(path) {
		fd, err := c.openInside(path, 0)
		if err == unix.ENOENT && path != "/" {
			continue
		}
		if err != nil {
			return false
		}
		var seen unix.Statx_t
		err = unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &seen)
		unix.Close(fd)
		return err == nil && seen.Mask&unix.STATX_MNT_ID != 0 && c.foreign[seen.Mnt_id]
	}
}

// isGit reports whether the process that makes the call is git. A program that the command
// could have written is not, and neither is one with code that the command could have written.
func (c *call) isGit() bool {
	exe, err := readlink(string(c.task) + "/exe")
	if err != nil || c.l.Writable(exe) {
		return false
	}
	name := strings.TrimPrefix(filepath.Base(exe), ".") // wrapped programs are called ".git-wrapped"
	return (name == "git" || strings.HasPrefix(name, "git-")) && !c.loadsOwnCode()
}

// loadsOwnCode reports whether code is mapped into the process that is not in a file which the
// command cannot write, as by LD_PRELOAD.
func (c *call) loadsOwnCode() bool {
	text, err := os.ReadFile(string(c.task) + "/maps")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) < 2 || !strings.Contains(f[1], "x") {
			continue
		}
		line = strings.TrimSuffix(line, "\n")
		_, path, isFile := strings.Cut(line, "/")
		if isFile && (strings.HasSuffix(line, " (deleted)") || c.l.Writable("/"+path)) ||
			!isFile && !strings.HasSuffix(line, " [vdso]") && !strings.HasSuffix(line, " [vsyscall]") {
			return true
		}
	}
	return false
}

// failReadOnly lets act fail as a change on a read-only file system does. It reports whether act
// makes the call.
func (c *call) failReadOnly() bool {
	if c.acts { // another directory may be there by then
		c.act = func() error { return unix.EROFS }
	}
	return c.acts
}

// install gives a descriptor to the command and closes it here.
func (c *call) install(fd, flags int) error {
	if err := c.l.Install(c.n, fd, flags&unix.O_CLOEXEC != 0); err != nil {
		return err
	}
	return errLater
}
