//go:build amd64 || arm64

package watch

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/sandbox"
)

// This file makes the calls of a command whose order is strict. If the call continued, the
// kernel would read the path again, and another thread could have changed it meanwhile.
// Instead, this process makes the call at the place that was checked: below the root of
// the thread, without following links.
//
// The place stays what it was. The command cannot rename, link or remove a file that
// cannot be kept, nor a directory above it, because these calls are checked and made here,
// too. It can replace other files, but only after both paths were kept.

// ownThread prepares the thread of this goroutine for calls of commands: it gets no
// signals, and has a working directory and umask of its own. It reports whether that
// succeeded.
func ownThread() bool {
	runtime.LockOSThread()
	return sandbox.BlockSignals() == nil && unix.Unshare(unix.CLONE_FS) == nil && unix.Chdir("/") == nil
}

// errLater is the error of a call that is answered later.
var errLater = errors.New("the call is answered later")

// tries is how often a call is checked again if a link has replaced a file after the check.
const tries = 5

// perform makes the call, and answers it.
func (c *change) perform(known call) {
	err := c.l.AsCommand(c.act)
	for range tries {
		if !errors.Is(err, unix.ELOOP) {
			break
		}
		why, e := known.handle(c)
		if why != "" {
			err = unix.EPERM
			break
		}
		if err = e; err == nil {
			err = c.l.AsCommand(c.act)
		}
	}
	if !errors.Is(err, errLater) {
		c.l.Finish(c.n, err)
	}
}

// inside opens a directory of the thread without following links.
func (c *change) inside(dir string) (int, error) { return c.openInside(dir, unix.O_DIRECTORY) }

// openInside opens a file of the thread with O_PATH without following links.
func (c *change) openInside(path string, flags uint64) (int, error) {
	root, err := unix.Open(c.task().seen("/"), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
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
func (c *change) parent(p *place) (dir int, name string, err error) {
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
	dir, err = c.inside(path)
	return dir, name, err
}

// moved opens the directory of a place that is to be removed or renamed. It fails if
// something is mounted at the place: only the kernel of the command's mounts would see that.
func (c *change) moved(p *place) (dir int, name string, err error) {
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

// failsWith returns the error of a call that fails because something is at a place, or nothing is.
// If that is not so any more, the call is checked again.
func (c *change) failsWith(p *place, want error) error {
	dir, name, err := c.parent(p)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	var now unix.Stat_t
	err = unix.Fstatat(dir, strings.TrimSuffix(name, "/"), &now, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case (err == nil) == p.exists && (err == nil || err == unix.ENOENT):
		return want
	case err != nil && err != unix.ENOENT:
		return err
	}
	return unix.ELOOP
}

// handle opens what is at a place with O_PATH. It returns the descriptor and its path.
func (c *change) handle(p *place) (fd int, path string, err error) {
	if p.nameless != "" {
		fd, err = c.nameless(p)
	} else {
		var dir int
		var name string
		if dir, name, err = c.parent(p); err != nil {
			return -1, "", err
		}
		fd, err = openBelow(dir, strings.TrimSuffix(name, "/"), 0, 0)
		unix.Close(dir)
	}
	return fd, ownDescriptor(fd), err
}

func ownDescriptor(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// nameless opens a file that a descriptor of the process, or of one above it, is open for, and that
// has no path: a pipe, or a file that was removed. Other commands of the session may have rights
// that this one lacks.
func (c *change) nameless(p *place) (int, error) {
	fd, err := unix.Open(c.task().seen(p.nameless), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	var info, its, own unix.Stat_t
	owner, _, _ := strings.Cut(p.nameless, "/fd/")
	err = unix.Fstat(fd, &info)
	if err == nil {
		err = unix.Stat(owner+"/ns/user", &its)
	}
	if err == nil {
		err = unix.Stat(string(c.task())+"/ns/user", &own)
	}
	var fs unix.Statfs_t
	if err == nil {
		err = unix.Fstatfs(fd, &fs)
	}
	named := info.Nlink != 0 && fs.Type != unix.PIPEFS_MAGIC && fs.Type != unix.SOCKFS_MAGIC
	if err == nil && (named || !c.isAbove(filepath.Base(owner)) || its.Ino != own.Ino || its.Dev != own.Dev) {
		err = unix.EACCES
	}
	if err == nil && !c.l.Waits(c.n) {
		err = unix.ESRCH
	}
	if err != nil {
		unix.Close(fd)
	}
	return fd, err
}

// isAbove reports whether a process is that of the call, or one above it.
func (c *change) isAbove(process string) bool {
	at := strconv.Itoa(int(c.n.Thread))
	for own := strconv.Itoa(os.Getpid()); at != own && at != "0" && at != ""; {
		group, parent := family(at)
		if group == process || at == process {
			return true
		}
		at = parent
	}
	return false
}

// family returns the process of a thread and the parent of that; empty if it has ended.
func family(thread string) (group, parent string) {
	text, _ := os.ReadFile("/proc/" + thread + "/status")
	for line := range strings.Lines(string(text)) {
		switch name, value, _ := strings.Cut(line, ":"); name {
		case "Tgid":
			group = strings.TrimSpace(value)
		case "PPid":
			parent = strings.TrimSpace(value)
		}
	}
	return group, parent
}

// changePlace calls change with a path of the file at a place.
func (c *change) changePlace(p *place, change func(string) error) error {
	fd, path, err := c.handle(p)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if p.slash && !p.dir() {
		return unix.ENOTDIR
	}
	return change(path)
}

// resize changes the size of a file. A size above the limit of this process or the thread
// would send a signal to this process.
func (c *change) resize(file string, size int64) error {
	for _, pid := range []int{0, int(c.n.Thread)} {
		var limit unix.Rlimit
		if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &limit); err == nil && size > 0 && uint64(size) > limit.Cur {
			return unix.EFBIG
		}
	}
	return unix.Truncate(file, size)
}

// chmodDescriptor keeps a file that the thread has open, and lets act change its mode. The
// descriptor is read once: the thread can make it refer to another file meanwhile.
func (c *change) chmodDescriptor(fd int32, mode uint32) (why string, err error) {
	file, err := unix.Open(string(c.task())+"/fd/"+strconv.Itoa(int(fd)), unix.O_PATH|unix.O_CLOEXEC, 0)
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
	if err == nil && path[0] == '/' && (c.wanted(path) || slices.Contains(c.order.Roots, path)) {
		var p place
		if p, err = look(path); err == nil && p.exists {
			why = c.keepMode(p, mode)
		}
	}
	if why != "" || err != nil {
		unix.Close(file)
	}
	return why, err
}

// remove removes what is at a place.
func (c *change) remove(p *place, flags int) error {
	dir, name, err := c.moved(p)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return unix.Unlinkat(dir, name, flags)
}

// bothMoved is moved for the two places of a rename. The caller closes both directories.
func (c *change) bothMoved(from, to *place) (fromDir int, fromName string, toDir int, toName string, err error) {
	if fromDir, fromName, err = c.moved(from); err != nil {
		return -1, "", -1, "", err
	}
	if toDir, toName, err = c.moved(to); err != nil {
		unix.Close(fromDir)
		return -1, "", -1, "", err
	}
	return fromDir, fromName, toDir, toName, nil
}

// move renames what is at a place.
func (c *change) move(from, to *place, flags uint) error {
	if from.dots != "" || to.dots != "" {
		return unix.EBUSY
	}
	fromDir, fromName, toDir, toName, err := c.bothMoved(from, to)
	if err != nil {
		return err
	}
	defer unix.Close(fromDir)
	defer unix.Close(toDir)
	err = unix.Renameat2(fromDir, fromName, toDir, toName, flags)
	if err == nil {
		c.reportElsewhere(toDir, to.path)
		c.reportElsewhere(fromDir, from.path)
	}
	return err
}

// moveNothing returns the error of a rename that fails because of what is there, or missing. The
// other errors that it can have instead are those of a rename of a name that nobody knows.
func (c *change) moveNothing(from place, to *place, flags uint, want error) error {
	if from.path != "/" {
		from.path = filepath.Join(filepath.Dir(from.path), ".agent-"+rand.Text())
	}
	if err := c.move(&from, to, flags); err != unix.ENOENT {
		return err
	}
	return want
}

// create calls make with the directory and the name of a place.
func (c *change) create(p *place, make func(dir int, name string) error) error {
	dir, name, err := c.parent(p)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	if err = make(dir, name); err == nil {
		c.reportElsewhere(dir, p.path)
	}
	return err
}

// makeDir returns a function that makes a directory with the mode in an argument.
func (c *change) makeDir(mode int) func(int, string) error {
	return func(dir int, name string) error {
		return c.withUmask(func() error { return unix.Mkdirat(dir, name, uint32(c.n.Args[mode])) })
	}
}

// makeNode returns a function that makes a named pipe or the like.
func (c *change) makeNode(mode, device int) func(int, string) error {
	return func(dir int, name string) error {
		return c.withUmask(func() error { return unix.Mknodat(dir, name, uint32(c.n.Args[mode]), int(uint32(c.n.Args[device]))) })
	}
}

// makeLink returns a function that makes a symbolic link to the path in an argument.
func (c *change) makeLink(target int) func(int, string) error {
	return func(dir int, name string) error {
		text, err := c.n.Text(target)
		if err != nil {
			return err
		}
		return unix.Symlinkat(text, dir, name)
	}
}

// withUmask calls f with the umask of the thread. It needs a thread of ownThread.
func (c *change) withUmask(f func() error) error {
	text, err := os.ReadFile(string(c.task()) + "/status")
	if err != nil {
		return err
	}
	_, rest, found := bytes.Cut(text, []byte("\nUmask:\t"))
	value, _, _ := bytes.Cut(rest, []byte("\n"))
	mask, err := strconv.ParseUint(string(value), 8, 12)
	if !found || err != nil {
		return unix.EPERM
	}
	defer unix.Umask(unix.Umask(int(mask)))
	return f()
}
