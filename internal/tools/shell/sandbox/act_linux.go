//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rights are the capabilities with which this process makes system calls of a command.
type rights struct {
	own      [2]unix.CapUserData
	has      bool            // set if this process has capabilities; the command has none
	complete bool            // set if only a signal that kills a thread interrupts a held call
	entries  func() []entry  // of the layout
	write    func() []string // writable paths of the layout
}

func newRights(p plan) rights {
	r := rights{complete: p.form == Complete && listenFlags()&unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV != 0}
	r.entries = sync.OnceValue(p.layout)
	r.write = sync.OnceValue(func() (paths []string) {
		for _, e := range r.entries() {
			if e.access == write || e.access == temp {
				paths = append(paths, e.path)
			}
		}
		return paths
	})
	if unix.Capget(capHeader(), &r.own[0]) == nil {
		r.has = r.own[0].Effective != 0 || r.own[1].Effective != 0
	}
	return r
}

func capHeader() *unix.CapUserHeader {
	return &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
}

// Acts reports whether this process may make the held calls itself. In the complete form,
// the mounts that the command sees protect everything that is not writable, also from this
// process. In other forms only Landlock does, which does not restrict this process. Before
// Linux 5.19, a signal can interrupt a held call, which would then happen twice.
func (l *Listener) Acts() bool { return l.rights.complete }

// AsCommand calls f on a thread without capabilities, like those of the command.
func (l *Listener) AsCommand(f func() error) error {
	if !l.rights.has {
		return f()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	none := l.rights.own
	none[0].Effective, none[1].Effective = 0, 0
	if err := unix.Capset(capHeader(), &none[0]); err != nil {
		return err
	}
	defer func() { _ = unix.Capset(capHeader(), &l.rights.own[0]) }()
	return f()
}

// MayOpen reports whether the command may write to a device or named pipe at a path
// without links. The mounts do not protect these, only Landlock does.
func (l *Listener) MayOpen(path string, mode uint32, device uint64) bool {
	const memory, terminal = 1, 5
	if mode&unix.S_IFMT == unix.S_IFCHR {
		// null, zero, full, random and urandom; tty
		switch minor := unix.Minor(device); unix.Major(device) {
		case memory:
			return minor == 3 || minor == 5 || minor >= 7 && minor <= 9
		case terminal:
			if minor == 0 {
				return true
			}
		}
	}
	in := func(dir string) bool { return path == dir || below(path, dir) }
	return slices.ContainsFunc(devices[:], in) || slices.ContainsFunc(l.rights.write(), in)
}

// Writable reports whether the command may write to the file at a path without links.
func (l *Listener) Writable(path string) bool {
	return below(path, "/dev") || slices.ContainsFunc(l.rights.write(), func(dir string) bool { return path == dir || below(path, dir) })
}

// Finish answers a call that this process has made: it returns 0, or fails with err.
func (l *Listener) Finish(n *Notification, err error) {
	var errno unix.Errno
	if err != nil && !errors.As(err, &errno) {
		errno = unix.EPERM
	}
	l.answer(response{id: n.id, errno: -int32(errno)})
}

// BlockSignals keeps signals from the thread of this goroutine, which must be locked to it.
// Go's runtime sends signals, and they could interrupt a call that is made for a command.
// Faults of the program still end it with their trace.
func BlockSignals() error {
	var all unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	for _, fault := range []unix.Signal{unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE, unix.SIGILL, unix.SIGTRAP} {
		all.Val[0] &^= 1 << (fault - 1)
	}
	return unix.PthreadSigmask(unix.SIG_SETMASK, &all, nil)
}

// Install makes the call return a new descriptor of the file that fd is open for. It closes
// fd before the command continues: otherwise the command could not run a program that it has
// written, and a lock of the file would last longer. The thread must block signals: one that
// interrupts the call must not make it fail after the descriptor was installed.
func (l *Listener) Install(n *Notification, fd int, closeOnExec bool) error {
	add := struct { // struct seccomp_notif_addfd
		id                       uint64
		flags, from, at, toFlags uint32
	}{id: n.id, from: uint32(fd)}
	if closeOnExec {
		add.toFlags = unix.O_CLOEXEC
	}
	const addFD = 0x40182103 // SECCOMP_IOCTL_NOTIF_ADDFD
	installed, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l.fd), addFD, uintptr(unsafe.Pointer(&add)))
	unix.Close(fd)
	if errno != 0 {
		return errno
	}
	l.answer(response{id: n.id, value: int64(installed)})
	return nil
}
