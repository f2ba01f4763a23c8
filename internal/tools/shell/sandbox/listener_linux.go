//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Listener receives the system calls of a command that its filter holds. While the
// process with the listener lives, each of them waits for Continue or Refuse; after
// that they fail with ENOSYS. Its methods are safe for concurrent use.
type Listener struct {
	fd   int
	file *os.File // keeps fd open
	gate *gate    // decides about connections

	rights rights

	// Connects, if not nil, is called with the address of each connection of a command without
	// the network that failed or may fail, and of each lookup of a name. It may be called
	// concurrently. Set it before Serve.
	Connects func(address string, lookup bool)
}

// SeesConnections reports whether Connects is called for all connections of the command.
func (l *Listener) SeesConnections() bool {
	return l.gate.plan.form == Complete && canTakeDescriptors()
}

// Notification is a system call that waits for an answer. Its layout is that of struct
// seccomp_notif.
type Notification struct {
	id     uint64
	Thread uint32 // ID of the thread that makes the call
	_      uint32
	Number int32 // of the system call
	_      uint32
	_      uint64
	Args   [6]uint64
}

// response is the answer to a notification: struct seccomp_notif_resp.
type response struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// newListener returns the listener with a descriptor from the kernel.
func newListener(file *os.File, g *gate) *Listener {
	l := &Listener{fd: int(file.Fd()), file: file, gate: g, rights: newRights(g.plan)}
	// The answer and the process then run on one CPU in turn. Since Linux 6.6.
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(l.fd), unix.SECCOMP_IOCTL_NOTIF_SET_FLAGS, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
	return l
}

// Serve receives the system calls with a number of goroutines. It makes or refuses
// connections itself, and decides about changes of other processes. For the other calls, each goroutine calls worker once, and the
// function that worker returns for each call. Serve returns immediately.
func (l *Listener) Serve(workers int, worker func() (answer func(*Notification))) {
	for range workers {
		go func() {
			answer := worker()
			for {
				n, ok := l.Receive()
				switch {
				case !ok:
					return
				case n.Number == unix.SYS_CONNECT:
					l.answerConnect(&n)
				case l.answerProcess(&n):
				default:
					answer(&n)
				}
			}
		}()
	}
}

// Close makes all system calls of the command that are held, now or later, fail.
func (l *Listener) Close() { _ = l.file.Close() }

// Receive waits for the next system call. It reports false if there will be none. On
// kernels before 6.11 it does not return after the last process has ended.
func (l *Listener) Receive() (n Notification, ok bool) {
	for {
		n = Notification{}
		switch l.control(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) {
		case 0:
			return n, true
		case unix.ENOENT: // the process was killed meanwhile, or was the last one
			poll := []unix.PollFd{{Fd: int32(l.fd), Events: unix.POLLIN}}
			if _, err := unix.Poll(poll, 0); err == nil && poll[0].Revents&unix.POLLHUP != 0 {
				return n, false
			}
		default:
			return n, false
		}
	}
}

// Continue lets the system call happen.
func (l *Listener) Continue(n *Notification) {
	l.answer(response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE})
}

// Refuse makes the system call fail with EPERM.
func (l *Listener) Refuse(n *Notification) {
	l.answer(response{id: n.id, errno: -int32(unix.EPERM)})
}

// answer sends an answer. It fails if the process has died.
func (l *Listener) answer(r response) {
	l.control(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r))
}

// control makes an ioctl that signals interrupt only before it has an effect.
func (l *Listener) control(request uintptr, arg unsafe.Pointer) (errno syscall.Errno) {
	for errno = unix.EINTR; errno == unix.EINTR; {
		_, _, errno = unix.Syscall(unix.SYS_IOCTL, uintptr(l.fd), request, uintptr(arg))
	}
	return errno
}

// Waits reports whether the system call still waits for an answer. If it does, everything
// that was read of its thread before was read of the right one.
func (l *Listener) Waits(n *Notification) bool {
	return l.control(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.id)) == 0
}

// Text reads the string that ends with a zero byte at an argument: a path. It fails with
// ENAMETOOLONG if it is longer than a path can be.
func (n *Notification) Text(arg int) (string, error) {
	b := make([]byte, unix.PathMax)
	got, err := n.Memory(arg, b)
	if err != nil {
		return "", err
	}
	for i, c := range b[:got] {
		if c == 0 {
			return string(b[:i]), nil
		}
	}
	if got < len(b) {
		return "", unix.EFAULT
	}
	return "", unix.ENAMETOOLONG
}

// Memory reads the memory of the process at the address in an argument. It returns fewer
// than len(b) bytes if the memory ends before.
func (n *Notification) Memory(arg int, b []byte) (int, error) {
	address := uintptr(n.Args[arg])
	// The kernel reads an element completely or not at all, so the first one ends with
	// the page.
	first := min(len(b), 4096-int(address%4096))
	remote := []unix.RemoteIovec{{Base: address, Len: first}, {Base: address + uintptr(first), Len: len(b) - first}}
	local := unix.Iovec{Base: &b[0]}
	local.SetLen(len(b))
	got, err := unix.ProcessVMReadv(int(n.Thread), []unix.Iovec{local}, remote, 0)
	if err == nil && got == len(b) || errors.Is(err, unix.ESRCH) {
		return got, err
	}
	// Some containers refuse the call above, but have this file. It also has the memory that
	// is mapped for writing only, which the kernel can read.
	fd, err := unix.Open("/proc/"+strconv.Itoa(int(n.Thread))+"/mem", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EACCES) {
		err = unix.EPERM // as above: the process cannot be inspected
	}
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	got, err = unix.Pread(fd, b[:first], int64(address))
	if errors.Is(err, unix.EIO) {
		err = unix.EFAULT
	}
	if err != nil || got < first || first == len(b) {
		return got, err
	}
	more, _ := unix.Pread(fd, b[first:], int64(address)+int64(first))
	return got + max(more, 0), nil
}

// listenFlags returns the flags of a filter with a listener. The process should be
// interrupted only by signals that kill it, so that no call is received twice. Older
// kernels do not know that flag.
func listenFlags() uintptr {
	const all = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	// Without a filter the call fails with EFAULT if the kernel knows the flags.
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, all, 0); errno == unix.EFAULT {
		return all
	}
	return unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
}

// sendListener adds the system calls that install a filter with a listener and send the
// descriptor of the listener to a socket.
func (s *steps) sendListener(program uintptr, socket int) {
	s.add(filtering, unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, listenFlags(), program)
	made := len(s.list) - 1
	fd := s.sendDescriptor(filtering, socket)
	s.list[made].save = fd
}

// sendDescriptor adds the system call that sends a descriptor to a socket. An earlier call
// must save the descriptor at fd.
func (s *steps) sendDescriptor(at stage, socket int) (fd *int32) {
	rights := new(struct {
		header unix.Cmsghdr
		fd     int32
		_      int32
	})
	rights.header.Level, rights.header.Type = unix.SOL_SOCKET, unix.SCM_RIGHTS
	rights.header.SetLen(unix.CmsgLen(4))
	iov := &unix.Iovec{Base: new(byte)}
	iov.SetLen(1)
	message := &unix.Msghdr{Iov: iov, Iovlen: 1, Control: (*byte)(unsafe.Pointer(rights))}
	message.SetControllen(int(unsafe.Sizeof(*rights)))
	s.add(at, unix.SYS_SENDMSG, uintptr(socket), pointer(s, message), 0)
	return &rights.fd
}

// receiveListener returns the listener that a command has sent.
func receiveListener(socket int, g *gate) (*Listener, error) {
	_, found, err := receive(socket)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		closeAll(found)
		return nil, syscall.EBADMSG
	}
	return newListener(found[0], g), nil
}
