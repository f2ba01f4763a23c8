//go:build amd64 || arm64

package watch

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/sandbox"
)

// ownThread prepares the thread of this goroutine for calls of commands: it gets no
// signals, and has a working directory and umask of its own. It reports whether that
// succeeded.
func ownThread() bool {
	runtime.LockOSThread()
	return sandbox.BlockSignals() == nil && unix.Unshare(unix.CLONE_FS) == nil && unix.Chdir("/") == nil
}

// errLater is the error of a call that is answered later.
var errLater = errors.New("the call is answered later")

// actor makes a call of a command whose order is strict, after it was checked. If the call continued,
// the kernel would read the path again, and another thread could have changed it meanwhile.
// Instead, this process makes the call at the place that was checked: below the root of
// the thread, without following links.
//
// The place stays what it was. The command cannot rename, link or remove a file that
// cannot be kept, nor a directory above it, because these calls are checked and made here,
// too. It can replace other files, but only after both paths were kept.
type actor struct {
	*call
	paths *protection
	pipes *atomic.Int64 // calls of the command that wait to open a pipe
}

// failsWith returns the error of a call that fails because something is at a place, or nothing is.
// If that is not so any more, the call is checked again.
func (a *actor) failsWith(p *place, want error) error {
	dir, name, err := a.parent(p)
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
func (a *actor) handle(p *place) (fd int, path string, err error) {
	if p.nameless != "" {
		fd, err = a.nameless(p)
	} else {
		var dir int
		var name string
		if dir, name, err = a.parent(p); err != nil {
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
func (a *actor) nameless(p *place) (int, error) {
	fd, err := unix.Open(a.task.seen(p.nameless), unix.O_PATH|unix.O_CLOEXEC, 0)
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
		err = unix.Stat(string(a.task)+"/ns/user", &own)
	}
	var fs unix.Statfs_t
	if err == nil {
		err = unix.Fstatfs(fd, &fs)
	}
	named := info.Nlink != 0 && fs.Type != unix.PIPEFS_MAGIC && fs.Type != unix.SOCKFS_MAGIC
	if err == nil && (named || !isAbove(filepath.Base(owner), filepath.Base(string(a.task))) || its.Ino != own.Ino || its.Dev != own.Dev) {
		err = unix.EACCES
	}
	if err == nil && !a.l.Waits(a.n) {
		err = unix.ESRCH
	}
	if err != nil {
		unix.Close(fd)
	}
	return fd, err
}

// isAbove reports whether a process is that of a thread, or one above it.
func isAbove(process, thread string) bool {
	for own := strconv.Itoa(os.Getpid()); thread != own && thread != "0" && thread != ""; {
		group, parent := family(thread)
		if group == process || thread == process {
			return true
		}
		thread = parent
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
func (a *actor) changePlace(p *place, change func(string) error) error {
	fd, path, err := a.handle(p)
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
func (a *actor) resize(file string, size int64) error {
	for _, pid := range []int{0, int(a.n.Thread)} {
		var limit unix.Rlimit
		if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &limit); err == nil && size > 0 && uint64(size) > limit.Cur {
			return unix.EFBIG
		}
	}
	return unix.Truncate(file, size)
}

// remove removes what is at a place.
func (a *actor) remove(p *place, flags int) error {
	dir, name, err := a.moved(p)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return unix.Unlinkat(dir, name, flags)
}

// move renames what is at a place.
func (a *actor) move(from, to *place, flags uint) error {
	if from.dots != "" || to.dots != "" {
		return unix.EBUSY
	}
	fromDir, fromName, toDir, toName, err := a.bothMoved(from, to)
	if err != nil {
		return err
	}
	defer unix.Close(fromDir)
	defer unix.Close(toDir)
	err = unix.Renameat2(fromDir, fromName, toDir, toName, flags)
	if err == nil {
		a.paths.reportElsewhere(a.call, toDir, to.path)
		a.paths.reportElsewhere(a.call, fromDir, from.path)
	}
	return err
}

// moveNothing returns the error of a rename that fails because of what is there, or missing. The
// other errors that it can have instead are those of a rename of a name that nobody knows.
func (a *actor) moveNothing(from place, to *place, flags uint, want error) error {
	if from.path != "/" {
		from.path = filepath.Join(filepath.Dir(from.path), ".agent-"+rand.Text())
	}
	if err := a.move(&from, to, flags); err != unix.ENOENT {
		return err
	}
	return want
}

// create calls make with the directory and the name of a place.
func (a *actor) create(p *place, make func(dir int, name string) error) error {
	dir, name, err := a.parent(p)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	if err = make(dir, name); err == nil {
		a.paths.reportElsewhere(a.call, dir, p.path)
	}
	return err
}

// makeNode returns a function that makes a named pipe or the like.
func (a *actor) makeNode(mode, device int) func(int, string) error {
	return func(dir int, name string) error {
		return a.task.withUmask(func() error { return unix.Mknodat(dir, name, uint32(a.n.Args[mode]), int(uint32(a.n.Args[device]))) })
	}
}

// makeLink returns a function that makes a symbolic link to the path in an argument.
func (a *actor) makeLink(target int) func(int, string) error {
	return func(dir int, name string) error {
		text, err := a.n.Text(target)
		if err != nil {
			return err
		}
		return unix.Symlinkat(text, dir, name)
	}
}
