//go:build amd64 || arm64

package sandbox

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// step is a system call of a child between fork and exec.
type step struct {
	number uintptr
	args   [6]uintptr
	stage  stage
	load   *int32 // if not nil, replaces the argument at
	at     int
	save   *int32 // if not nil, gets the result
	errno  *byte  // if not nil, gets the error if it fails
	skip   int    // if it fails, continue after this many further steps; -1 means it must not fail
	parent uintptr
}

// steps are the system calls of a child. They keep the memory that the calls refer
// to reachable.
type steps struct {
	list []step
	kept []any
}

// add appends a system call that must not fail.
func (s *steps) add(at stage, number uintptr, args ...uintptr) *step {
	s.list = append(s.list, step{number: number, stage: at, skip: -1})
	last := &s.list[len(s.list)-1]
	copy(last.args[:], args)
	return last
}

// text returns the address of a zero-terminated copy of a string.
func (s *steps) text(v string) uintptr {
	b := append([]byte(v), 0)
	return pointer(s, &b[0])
}

// pointer returns the address of v as an argument.
func pointer[T any](s *steps, v *T) uintptr {
	s.kept = append(s.kept, v)
	return uintptr(unsafe.Pointer(v))
}

// The runtime prepares a thread for a fork and ends the preparation.

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

//go:linkname afterForkInChild syscall.runtime_AfterForkInChild
func afterForkInChild()

// cloneArgs are the arguments of clone3.
type cloneArgs struct {
	flags, pidfd, childTID, parentTID, exitSignal     uint64
	stack, stackSize, tls, setTID, setTIDSize, cgroup uint64
}

// child holds the data that a child needs to run its steps.
type child struct {
	list   []step
	clone  *cloneArgs // nil means clone without a control group
	status uintptr    // descriptor that gets failed
	failed [2]int32   // number of the step that failed, and its errno
}

// start starts a process that executes the steps; the last one usually is execve.
// The process exits with code 0 if all have returned. status is the descriptor of
// a pipe that gets c.failed of the process if a step fails.
func (s *steps) start(status int, cgroup int) (pid int, err error) {
	c := &child{list: s.list, status: uintptr(status)}
	if cgroup >= 0 {
		c.clone = &cloneArgs{flags: unix.CLONE_INTO_CGROUP, exitSignal: uint64(unix.SIGCHLD), cgroup: uint64(cgroup)}
	}
	parent := uintptr(syscall.Getpid())
	for i := range c.list {
		if c.list[i].number == unix.SYS_GETPPID {
			c.list[i].parent = parent
		}
	}
	syscall.ForkLock.Lock()
	n, errno := fork(c)
	syscall.ForkLock.Unlock()
	runtime.KeepAlive(s)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// fork starts the child. Everything below runs in a copy of one thread: it must
// not allocate, lock, or grow its stack.
//
//go:norace
//go:nosplit
//go:noinline
func fork(c *child) (pid uintptr, errno syscall.Errno) {
	beforeFork()
	if c.clone != nil {
		pid, _, errno = syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(c.clone)), unsafe.Sizeof(*c.clone), 0)
	} else {
		pid, _, errno = syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	}
	if errno != 0 || pid != 0 {
		afterFork()
		return pid, errno
	}
	afterForkInChild()
	code := uintptr(0)
	if run(c) {
		code = 253
		syscall.RawSyscall(unix.SYS_WRITE, c.status, uintptr(unsafe.Pointer(&c.failed)), unsafe.Sizeof(c.failed))
	}
	for {
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, code, 0, 0)
	}
}

// run executes the steps. It reports whether one failed.
//
//go:norace
//go:nosplit
//go:noinline
func run(c *child) (failed bool) {
	for i := 0; i < len(c.list); i++ {
		s := &c.list[i]
		if s.load != nil {
			s.args[s.at] = uintptr(*s.load)
		}
		r, _, errno := syscall.RawSyscall6(s.number, s.args[0], s.args[1], s.args[2], s.args[3], s.args[4], s.args[5])
		if s.parent != 0 && r != s.parent {
			errno = syscall.ESRCH // the parent has died and cannot kill this process
		}
		switch {
		case errno != 0 && s.skip < 0:
			c.failed[0], c.failed[1] = int32(i), int32(errno)
			return true
		case errno != 0:
			if s.errno != nil {
				*s.errno = byte(errno)
			}
			i += s.skip
		case s.save != nil:
			*s.save = int32(r)
		}
	}
	return false
}
