//go:build amd64 || arm64

package watch

import (
	"errors"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/sandbox"
)

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
