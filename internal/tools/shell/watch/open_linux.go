//go:build amd64 || arm64

package watch

import (
	"errors"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/sandbox"
)

// This file opens files for a command whose order is strict: see actor.

// openPlace opens what is at a place, and gives the descriptor to the command. It opens nothing in
// procfs: this process may read there what the command may not, such as the memory of another
// process.
func (a *actor) openPlace(p *place, flags int, mode uint32) error {
	if flags&(unix.O_CREAT|unix.O_EXCL) != unix.O_CREAT|unix.O_EXCL && flags&unix.O_DIRECTORY == 0 && p.is(unix.S_IFCHR) && p.info.Rdev == unix.Mkdev(5, 0) {
		terminal, err := a.task.terminal()
		if err != nil {
			return err
		}
		p = &terminal
	}
	if p.nameless != "" || p.exists && !p.file() && !p.dir() && !p.is(unix.S_IFLNK) {
		return a.openSpecial(p, flags)
	}
	dir, name, err := a.parent(p)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	fd, err := a.openIn(dir, name, p, flags, mode)
	if err != nil {
		return err
	}
	if flags&unix.O_CREAT != 0 {
		a.paths.reportElsewhere(a.call, dir, p.path)
	}
	var fs unix.Statfs_t
	if err = unix.Fstatfs(fd, &fs); err == nil && fs.Type == unix.PROC_SUPER_MAGIC {
		err = unix.EACCES
	}
	if err != nil {
		unix.Close(fd)
		return err
	}
	return a.install(fd, flags)
}

// openIn opens a file in an open directory. It cannot open another one than that which was checked,
// or create one over it: then the error says that the call is to be checked again.
func (a *actor) openIn(dir int, name string, p *place, flags int, mode uint32) (fd int, err error) {
	exclusive := flags&unix.O_CREAT != 0 && flags&unix.O_EXCL != 0
	own := flags | unix.O_NOFOLLOW | unix.O_NOCTTY | unix.O_CLOEXEC
	open := func() (err error) {
		fd, err = unix.Openat(dir, name, own, mode)
		return err
	}
	switch {
	case flags&unix.O_TMPFILE == unix.O_TMPFILE:
		err = a.task.withUmask(open)
	case !p.exists && flags&unix.O_CREAT != 0:
		own |= unix.O_EXCL
		if err = a.task.withUmask(open); err == unix.EEXIST && !exclusive {
			err = unix.ELOOP
		}
	case p.dir() && flags&unix.O_CREAT != 0 && flags&unix.O_DIRECTORY != 0:
		err = unix.EINVAL
	case p.dir(): // only calls that write are held
		err = unix.EISDIR
	case p.is(unix.S_IFLNK) && flags&unix.O_DIRECTORY != 0:
		err = unix.ENOTDIR
	case p.is(unix.S_IFLNK):
		err = unix.ELOOP
	case p.file() && flags&unix.O_CREAT != 0 && !exclusive:
		own &^= unix.O_CREAT
		if err = open(); err == unix.ENOENT {
			err = unix.ELOOP
		}
	default:
		err = open()
	}
	return fd, err
}

// openSpecial opens a device or a pipe, or a file without a path.
func (a *actor) openSpecial(p *place, flags int) error {
	writes := flags&unix.O_ACCMODE != unix.O_RDONLY
	switch {
	case p.slash && flags&unix.O_CREAT != 0:
		return unix.EISDIR
	case flags&unix.O_CREAT != 0 && flags&unix.O_EXCL != 0:
		return unix.EEXIST
	case p.slash, flags&unix.O_DIRECTORY != 0:
		return unix.ENOTDIR
	case p.nameless == "" && writes && !a.l.MayOpen(p.path, p.info.Mode, p.info.Rdev):
		return unix.EACCES
	}
	file, path, err := a.handle(p)
	if err != nil {
		return err
	}
	var info unix.Stat_t
	if err = unix.Fstat(file, &info); err == nil && p.nameless == "" && (info.Ino != p.info.Ino || info.Dev != p.info.Dev) {
		err = unix.ELOOP // something else is there: check again
	}
	if err != nil {
		unix.Close(file)
		return err
	}
	own := flags&^(unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW) | unix.O_NOCTTY | unix.O_CLOEXEC
	if info.Mode&unix.S_IFMT == unix.S_IFIFO && flags&unix.O_NONBLOCK == 0 && flags&unix.O_ACCMODE != unix.O_RDWR {
		if a.pipes.Add(1) > maxPipes {
			a.pipes.Add(-1)
			unix.Close(file)
			return unix.ENFILE
		}
		go a.openPipe(file, own, flags)
		return errLater
	}
	defer unix.Close(file)
	fd, err := unix.Open(path, own|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	return a.installBlocking(fd, flags)
}

// installBlocking is install for a descriptor that was opened with O_NONBLOCK.
func (a *actor) installBlocking(fd, flags int) error {
	if flags&unix.O_NONBLOCK == 0 {
		set, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err == nil {
			_, err = unix.FcntlInt(uintptr(fd), unix.F_SETFL, set&^unix.O_NONBLOCK)
		}
		if err != nil {
			unix.Close(fd)
			return err
		}
	}
	return a.install(fd, flags)
}

// maxPipes limits how many calls of a command can wait at the same time to open a pipe. Each needs
// a thread of this process.
const maxPipes = 256

// How long to wait between attempts to open a named pipe that nobody reads.
const (
	minPipeWait = time.Millisecond
	maxPipeWait = 50 * time.Millisecond
)

// openPipe opens a pipe, for which it waits until another process has opened the other end,
// or until the call no longer waits. It closes file.
func (a *actor) openPipe(file, own, flags int) {
	defer a.pipes.Add(-1)
	defer unix.Close(file)
	fd := -1
	open := func() (err error) {
		fd, err = unix.Open(ownDescriptor(file), own, 0)
		return err
	}
	if flags&unix.O_ACCMODE == unix.O_WRONLY {
		own |= unix.O_NONBLOCK // then it fails with ENXIO if nobody reads
	}
	runtime.LockOSThread() // the thread ends with this goroutine
	err := sandbox.BlockSignals()
	if err == nil {
		err = a.l.AsCommand(open)
	}
	for wait := minPipeWait; a.l.Waits(a.n) && errors.Is(err, unix.ENXIO); wait = min(2*wait, maxPipeWait) {
		time.Sleep(wait)
		err = a.l.AsCommand(open)
	}
	if err == nil {
		err = a.installBlocking(fd, flags)
	}
	if !errors.Is(err, errLater) {
		a.l.Finish(a.n, err)
	}
}
