//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// gate decides about the connections of one command. The filter holds every connect,
// because it sees neither the kind of the socket nor the address. The gate copies both and
// connects the socket of the command itself, so the command cannot change the address
// after the decision. A Unix socket gets connected only to a socket that a command of the
// session has bound; see peer.
//
// Sockets that could send to an address without connect, those of type SOCK_DGRAM, are
// refused by the filter, so the calls that send need not be held.
type gate struct {
	plan      plan
	user, net int // namespaces of the session
	slots     chan struct{}

	mu      sync.Mutex
	session *diag // sockets in the network namespace of the session; nil until needed
	host    *diag // those in the network namespace of this process
}

// maxConnects is how many connections of a command may wait at once. Each of them needs a
// thread.
const maxConnects = 128

func newGate(p plan, c Command) *gate {
	return &gate{plan: p, user: c.User, net: c.Net, slots: make(chan struct{}, maxConnects)}
}

// answerConnect makes the connection of a held connect, or refuses it.
func (l *Listener) answerConnect(n *Notification) {
	select {
	case l.gate.slots <- struct{}{}:
	default:
		l.answer(response{id: n.id, errno: -int32(unix.EAGAIN)})
		return
	}
	go func() {
		defer func() { <-l.gate.slots }()
		err := l.connect(n)
		var errno unix.Errno
		switch {
		case errors.Is(err, errUnchanged{}):
			l.Continue(n)
			return
		case err != nil && !errors.As(err, &errno):
			errno = unix.EACCES
		}
		l.answer(response{id: n.id, errno: -int32(errno)})
	}()
}

// errUnchanged is the error of a call that may continue.
type errUnchanged struct{}

func (errUnchanged) Error() string { return "the call continues" }

// connect makes the connection of a held call. The socket of the command may be blocking,
// so this can take long.
func (l *Listener) connect(n *Notification) error {
	size := int32(n.Args[2])
	if size < 2 || size > unix.SizeofSockaddrAny {
		return unix.EINVAL
	}
	address := make([]byte, size)
	if got, err := n.Memory(1, address); err != nil {
		return err
	} else if got < len(address) {
		return unix.EFAULT
	}
	family := binary.NativeEndian.Uint16(address)
	socket, err := n.descriptor(int32(n.Args[0]))
	if err != nil && !canTakeDescriptors() {
		// Some containers do not let this process take the socket. The address can then
		// change after the decision.
		if family != unix.AF_UNIX {
			return errUnchanged{}
		}
		if err := l.gate.check(l, n, -1, address, func(*unix.RawSockaddrUnix, int) error { return nil }); err != nil {
			return err
		}
		return errUnchanged{}
	}
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	domain, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return err
	}
	if !l.Waits(n) {
		return unix.ESRCH
	}
	switch {
	case domain == unix.AF_INET, domain == unix.AF_INET6, domain == unix.AF_NETLINK && len(bytes.Trim(address[2:], "\x00")) == 0:
		err := connect(socket, unsafe.Pointer(&address[0]), len(address))
		l.noteConnect(socket, address, err)
		return err
	case domain != unix.AF_UNIX:
		return unix.EACCES
	case family != unix.AF_UNIX:
		return unix.EINVAL
	}
	return l.gate.check(l, n, socket, address, func(to *unix.RawSockaddrUnix, size int) error {
		return connect(socket, unsafe.Pointer(to), size)
	})
}

// connect connects a socket. Signals of the Go runtime may interrupt it.
func connect(socket int, address unsafe.Pointer, size int) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(socket), uintptr(address), uintptr(size))
		if errno == 0 {
			return nil
		}
		if errno != unix.EINTR {
			return errno
		}
	}
}

// check decides about the address of a Unix socket, and calls connect with it. An address
// with a path is replaced by one that leads to the file that was checked.
func (g *gate) check(l *Listener, n *Notification, socket int, address []byte, connect func(*unix.RawSockaddrUnix, int) error) error {
	to := &unix.RawSockaddrUnix{Family: unix.AF_UNIX}
	name := address[2:]
	if len(name) == 0 || len(name) > len(to.Path) {
		return unix.EINVAL
	}
	if name[0] == 0 {
		if err := g.abstract(socket, name); err != nil {
			return err
		}
		for i, c := range name {
			to.Path[i] = int8(c)
		}
		return connect(to, 2+len(name))
	}
	path, _, _ := bytes.Cut(name, []byte{0})
	file, err := n.open(string(path))
	if err != nil {
		return err
	}
	defer unix.Close(file)
	if !l.Waits(n) {
		return unix.ESRCH
	}
	if err := g.peer(n, file); err != nil {
		return err
	}
	checked := "/proc/self/fd/" + strconv.Itoa(file)
	for i, c := range []byte(checked) {
		to.Path[i] = int8(c)
	}
	return connect(to, 2+len(checked)+1)
}

// peer returns nil if the socket at an open file may be connected to: a command of the
// session has bound it, or the network is approved and the profile shows this very socket.
func (g *gate) peer(n *Notification, file int) error {
	var info unix.Stat_t
	if err := unix.Fstat(file, &info); err != nil {
		return err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return unix.ECONNREFUSED
	}
	device := n.device(file, info.Dev)
	at := func(b boundSocket) bool {
		return b.file && b.device == device && b.inode == uint32(info.Ino) // the kernel reports 32 bits
	}
	session, host, err := g.sockets()
	if err != nil {
		return unix.EACCES
	}
	if g.plan.form == Complete && session.find(at) != nil {
		return nil
	}
	bound := host.find(at)
	switch {
	case g.plan.network && g.shown(&info):
		return nil
	case bound == nil:
		return unix.ECONNREFUSED // as for a socket that nobody listens on
	case g.ofSession(bound.socket):
		return nil
	}
	return unix.EACCES
}

// abstract returns nil if a socket may be connected to an abstract name: in the network of
// the session, or if a command of the session has bound it.
func (g *gate) abstract(socket int, name []byte) error {
	session, host, err := g.sockets()
	if err != nil {
		return unix.EPERM
	}
	if g.plan.form == Complete {
		own, err := netCookie(session.fd)
		its, e := netCookie(socket)
		if err == nil && e == nil && own == its {
			return nil
		}
	}
	bound := host.find(func(b boundSocket) bool { return b.name == string(name) })
	switch {
	case bound == nil:
		return unix.ECONNREFUSED
	case g.ofSession(bound.socket):
		return nil
	}
	return unix.EPERM
}

// netCookie returns a number that identifies the network namespace of a socket. It needs
// Linux 5.14.
func netCookie(socket int) (uint64, error) {
	return unix.GetsockoptUint64(socket, unix.SOL_SOCKET, unix.SO_NETNS_COOKIE)
}

// shown reports whether the profile shows exactly this file.
func (g *gate) shown(info *unix.Stat_t) bool {
	for path, a := range g.plan.paths {
		var at unix.Stat_t
		if a == show && unix.Stat(path, &at) == nil && at.Mode&unix.S_IFMT == unix.S_IFSOCK && at.Dev == info.Dev && at.Ino == info.Ino {
			return true
		}
	}
	return false
}

// canTakeDescriptors reports whether the system lets a process take the descriptors of
// others.
func canTakeDescriptors() bool {
	self, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return false
	}
	defer unix.Close(self)
	fd, err := unix.PidfdGetfd(self, self, 0)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}

// descriptor returns a copy of a descriptor of the thread.
func (n *Notification) descriptor(fd int32) (int, error) {
	const thread = unix.O_EXCL // PIDFD_THREAD, since Linux 6.9
	pidfd, err := unix.PidfdOpen(int(n.Thread), thread)
	if errors.Is(err, unix.EINVAL) {
		pidfd, err = unix.PidfdOpen(n.process(), 0)
	}
	if err != nil {
		return -1, err
	}
	defer unix.Close(pidfd)
	return unix.PidfdGetfd(pidfd, int(fd), 0)
}
