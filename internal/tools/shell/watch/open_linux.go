//go:build amd64 || arm64

package watch

import (
	"agent/internal/tools/shell/sandbox"
	"bytes"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// This file opens files for a command whose order is strict: see act_linux.go.

// openPlace opens what is at a place, and gives the descriptor to the command. It opens nothing in
// procfs: this process may read there what the command may not, such as the memory of another
// process.
func (c *change) openPlace(p *place, flags int, mode uint32) error {
	if flags&(unix.O_CREAT|unix.O_EXCL) != unix.O_CREAT|unix.O_EXCL && flags&unix.O_DIRECTORY == 0 && p.is(unix.S_IFCHR) && p.info.Rdev == unix.Mkdev(5, 0) {
		terminal, err := c.terminal()
		if err != nil {
			return err
		}
		p = &terminal
	}
	if p.nameless != "" || p.exists && !p.file() && !p.dir() && !p.is(unix.S_IFLNK) {
		return c.openSpecial(p, flags)
	}
	dir, name, err := c.parent(p)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	fd, err := c.openIn(dir, name, p, flags, mode)
	if err != nil {
		return err
	}
	if flags&unix.O_CREAT != 0 {
		c.reportElsewhere(dir, p.path)
	}
	var fs unix.Statfs_t
	if err = unix.Fstatfs(fd, &fs); err == nil && fs.Type == unix.PROC_SUPER_MAGIC {
		err = unix.EACCES
	}
	if err != nil {
		unix.Close(fd)
		return err
	}
	return c.install(fd, flags)
}

// openIn opens a file in an open directory. It cannot open another one than that which was checked,
// or create one over it: then the error says that the call is to be checked again.
func (c *change) openIn(dir int, name string, p *place, flags int, mode uint32) (fd int, err error) {
	exclusive := flags&unix.O_CREAT != 0 && flags&unix.O_EXCL != 0
	own := flags | unix.O_NOFOLLOW | unix.O_NOCTTY | unix.O_CLOEXEC
	open := func() (err error) {
		fd, err = unix.Openat(dir, name, own, mode)
		return err
	}
	switch {
	case flags&unix.O_TMPFILE == unix.O_TMPFILE:
		err = c.withUmask(open)
	case !p.exists && flags&unix.O_CREAT != 0:
		own |= unix.O_EXCL
		if err = c.withUmask(open); err == unix.EEXIST && !exclusive {
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

// install gives a descriptor to the command and closes it here.
func (c *change) install(fd, flags int) error {
	if err := c.l.Install(c.n, fd, flags&unix.O_CLOEXEC != 0); err != nil {
		return err
	}
	return errLater
}

// terminal returns the place of the terminal that /dev/tty is for the thread.
func (c *change) terminal() (place, error) {
	stat, err := os.ReadFile(string(c.task()) + "/stat")
	if err != nil {
		return place{}, err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 5 {
		return place{}, unix.ENXIO
	}
	device, _ := strconv.Atoi(fields[4])
	if major := device >> 8 & 0xfff; major < 136 || major > 143 { // not a pseudoterminal
		return place{}, unix.ENXIO
	}
	return c.task().look("/dev/pts/" + strconv.Itoa(device&0xff|device>>12&0xfff00))
}

// openSpecial opens a device or a pipe, or a file without a path.
func (c *change) openSpecial(p *place, flags int) error {
	writes := flags&unix.O_ACCMODE != unix.O_RDONLY
	switch {
	case p.slash && flags&unix.O_CREAT != 0:
		return unix.EISDIR
	case flags&unix.O_CREAT != 0 && flags&unix.O_EXCL != 0:
		return unix.EEXIST
	case p.slash, flags&unix.O_DIRECTORY != 0:
		return unix.ENOTDIR
	case p.nameless == "" && writes && !c.l.MayOpen(p.path, p.info.Mode, p.info.Rdev):
		return unix.EACCES
	}
	file, path, err := c.handle(p)
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
		if c.pipes.Add(1) > maxPipes {
			c.pipes.Add(-1)
			unix.Close(file)
			return unix.ENFILE
		}
		go c.openPipe(file, own, flags)
		return errLater
	}
	defer unix.Close(file)
	fd, err := unix.Open(path, own|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	return c.installBlocking(fd, flags)
}

// installBlocking is install for a descriptor that was opened with O_NONBLOCK.
func (c *change) installBlocking(fd, flags int) error {
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
	return c.install(fd, flags)
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
func (c *change) openPipe(file, own, flags int) {
	defer c.pipes.Add(-1)
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
		err = c.l.AsCommand(open)
	}
	for wait := minPipeWait; c.l.Waits(c.n) && errors.Is(err, unix.ENXIO); wait = min(2*wait, maxPipeWait) {
		time.Sleep(wait)
		err = c.l.AsCommand(open)
	}
	if err == nil {
		err = c.installBlocking(fd, flags)
	}
	if !errors.Is(err, errLater) {
		c.l.Finish(c.n, err)
	}
}
