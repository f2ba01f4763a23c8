//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// diag lists the bound Unix sockets of a network namespace.
type diag struct {
	mu sync.Mutex
	fd int // netlink socket in the namespace
}

// boundSocket is a Unix socket with a name.
type boundSocket struct {
	socket        uint32 // inode number of the socket itself
	name          string // its address; begins with a zero byte if it is abstract
	file          bool   // set if it has a file; then these identify the file
	device, inode uint32
}

// sockets returns the lists of the session and of the host. The former is nil if the form
// is not Complete.
func (g *gate) sockets() (session, host *diag, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.host == nil {
		fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
		if err != nil {
			return nil, nil, err
		}
		g.host = &diag{fd: fd}
	}
	if g.session == nil && g.plan.form == Complete {
		fd, err := g.openInSession()
		if err != nil {
			return nil, nil, err
		}
		g.session = &diag{fd: fd}
	}
	return g.session, g.host, nil
}

// openInSession opens a netlink socket in the network namespace of the session. This
// process has threads and cannot enter the namespaces itself.
func (g *gate) openInSession() (fd int, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(pair[0])
	s := new(steps)
	s.add(joining, unix.SYS_SETNS, uintptr(g.user), unix.CLONE_NEWUSER)
	s.add(joining, unix.SYS_SETNS, uintptr(g.net), unix.CLONE_NEWNET)
	s.add(joining, unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	opened := len(s.list) - 1
	fd32 := s.sendDescriptor(joining, pair[1])
	s.list[opened].save = fd32
	_, err = s.execute(-1)
	unix.Close(pair[1])
	if err != nil {
		return -1, err
	}
	_, found, err := receive(pair[0])
	if err != nil {
		return -1, err
	}
	defer closeAll(found)
	if len(found) != 1 {
		return -1, unix.EBADMSG
	}
	return unix.FcntlInt(found[0].Fd(), unix.F_DUPFD_CLOEXEC, 0)
}

// find returns the first socket that matches; nil if there is none, or if they cannot be
// listed.
func (d *diag) find(match func(boundSocket) bool) *boundSocket {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	// struct nlmsghdr, struct unix_diag_req
	b := binary.NativeEndian.AppendUint32(nil, 40)
	b = binary.NativeEndian.AppendUint16(b, 20) // SOCK_DIAG_BY_FAMILY
	b = binary.NativeEndian.AppendUint16(b, unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	b = append(b, make([]byte, 8)...)
	b = append(b, unix.AF_UNIX, 0, 0, 0)
	for _, v := range []uint32{1 << listening, 0, showName | showFile, ^uint32(0), ^uint32(0)} {
		b = binary.NativeEndian.AppendUint32(b, v)
	}
	if unix.Sendto(d.fd, b, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}) != nil {
		return nil
	}
	var found *boundSocket
	for b := make([]byte, 64<<10); ; {
		n, _, err := unix.Recvfrom(d.fd, b, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return found
		}
		sockets, done := parseSockets(b[:n])
		for _, s := range sockets {
			if found == nil && match(s) {
				found = &s
			}
		}
		if done {
			return found
		}
	}
}

// What to list of a socket, and the attributes of an answer. Connections that were accepted
// have the name and the file of the socket that listens, and may be in no process.
const (
	listening          = 10 // TCP_LISTEN, also of Unix sockets
	showName, showFile = 1, 2
	nameOf, fileOf     = 0, 1
)

// parseSockets parses a part of an answer. done is set for the last one.
func parseSockets(b []byte) (sockets []boundSocket, done bool) {
	for len(b) >= unix.NLMSG_HDRLEN {
		size := int(binary.NativeEndian.Uint32(b))
		if size < unix.NLMSG_HDRLEN || size > len(b) {
			return sockets, true
		}
		if kind := binary.NativeEndian.Uint16(b[4:]); kind == unix.NLMSG_DONE || kind == unix.NLMSG_ERROR {
			return sockets, true
		}
		if message := b[unix.NLMSG_HDRLEN:size]; len(message) >= 16 { // struct unix_diag_msg
			s := boundSocket{socket: binary.NativeEndian.Uint32(message[4:])}
			s.parse(message[16:])
			sockets = append(sockets, s)
		}
		b = b[min(len(b), (size+3)&^3):]
	}
	return sockets, false
}

// parse parses the attributes of a socket.
func (s *boundSocket) parse(b []byte) {
	for len(b) >= 4 {
		size := int(binary.NativeEndian.Uint16(b))
		if size < 4 || size > len(b) {
			return
		}
		switch value := b[4:size]; binary.NativeEndian.Uint16(b[2:]) {
		case nameOf:
			s.name = string(value)
		case fileOf:
			if len(value) == 8 {
				s.file, s.inode, s.device = true, binary.NativeEndian.Uint32(value), binary.NativeEndian.Uint32(value[4:])
			}
		}
		b = b[min(len(b), (size+3)&^3):]
	}
}

// ofSession reports whether a process of the session has a socket open.
func (g *gate) ofSession(socket uint32) bool {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	link := fmt.Sprintf("socket:[%d]", socket)
	for _, p := range processes {
		dir := "/proc/" + p.Name()
		if _, err := strconv.Atoi(p.Name()); err != nil || !g.confines(dir) {
			continue
		}
		open, _ := os.ReadDir(dir + "/fd") // of another user, or ended
		for _, fd := range open {
			if to, err := os.Readlink(dir + "/fd/" + fd.Name()); err == nil && to == link {
				return true
			}
		}
	}
	return false
}

// confines reports whether a process belongs to a command of the session: it is in the
// user namespace of the session. Without namespaces, it must descend from the program and
// have a filter of its own.
func (g *gate) confines(dir string) bool {
	if g.plan.form == Complete {
		var its, own unix.Stat_t
		return unix.Stat(dir+"/ns/user", &its) == nil && unix.Fstat(g.user, &own) == nil && its.Ino == own.Ino && its.Dev == own.Dev
	}
	self, its := status("/proc/self"), status(dir)
	filters, _ := strconv.Atoi(self["Seccomp_filters"])
	more, _ := strconv.Atoi(its["Seccomp_filters"])
	if its["NoNewPrivs"] != "1" || more <= filters {
		return false
	}
	for range 1000 {
		parent := its["PPid"]
		if parent == self["PPid"] {
			return true
		}
		if parent == "" || parent == "0" || parent == "1" {
			return false
		}
		its = status("/proc/" + parent)
	}
	return false
}

// status returns the fields of the status of a process.
func status(dir string) map[string]string {
	text, _ := os.ReadFile(dir + "/status") // empty if it has ended
	fields := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.TrimSpace(value)
	}
	return fields
}

// process returns the ID of the process of the thread; 0 if it has ended.
func (n *Notification) process() int {
	id, _ := strconv.Atoi(status(n.dir())["Tgid"])
	return id
}

// dir is the directory of the thread in /proc.
func (n *Notification) dir() string { return "/proc/" + strconv.Itoa(int(n.Thread)) }

// open opens the file at a path of the thread with O_PATH. It follows links, except for
// those in /proc.
func (n *Notification) open(path string) (int, error) {
	if path == "" {
		return -1, unix.ENOENT
	}
	if path[0] != '/' {
		dir, err := os.Readlink(n.dir() + "/cwd")
		if err != nil || dir == "" || dir[0] != '/' {
			return -1, unix.EACCES
		}
		path = dir + "/" + path
	}
	root, err := unix.Open(n.dir()+"/root", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, unix.EACCES
	}
	defer unix.Close(root)
	return unix.Openat2(root, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS})
}

// device returns the device of the file system of an open file, as the list of sockets has
// it. Some file systems, such as btrfs, report another number for a file, which other is.
func (n *Notification) device(file int, other uint64) uint32 {
	encode := func(major, minor uint32) uint32 { return major<<20 | minor }
	device := encode(unix.Major(other), unix.Minor(other))
	info, _ := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(file))
	_, id, _ := strings.Cut(string(info), "mnt_id:")
	id, _, _ = strings.Cut(strings.TrimSpace(id), "\n")
	mounts, _ := os.ReadFile(n.dir() + "/mountinfo")
	for line := range strings.Lines(string(mounts)) { // "36 35 98:0 / /mnt rw …"
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] != id {
			continue
		}
		major, minor, _ := strings.Cut(fields[2], ":")
		a, err := strconv.ParseUint(major, 10, 32)
		b, e := strconv.ParseUint(minor, 10, 32)
		if err == nil && e == nil {
			return encode(uint32(a), uint32(b))
		}
	}
	return device
}
