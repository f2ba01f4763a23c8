//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// namePort is the port at which servers look up names.
const namePort = 53

// noteConnect reports a connection of a command without the network that failed, or that may fail
// later, and each lookup of a name. Connections to Unix sockets are not reported: libraries try
// some in vain.
func (l *Listener) noteConnect(socket int, to []byte, err error) {
	a, ok := addressOf(to)
	if !ok || l.Connects == nil || l.gate.plan.network || a.port == 0 {
		return
	}
	kind, _ := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_TYPE)
	lookup := a.port == namePort && kind == unix.SOCK_DGRAM
	switch {
	case lookup:
	case a.local() && (errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.EINPROGRESS)):
	case !a.local() && err != nil && !errors.Is(err, unix.EISCONN) && !errors.Is(err, unix.EALREADY):
	default:
		return
	}
	l.Connects(a.String(), lookup)
}

// address is an address of a server. This package does not use net/netip, because a helper must
// start before other packages are initialized.
type address struct {
	ip   []byte // 4 or 16
	port uint16
}

// addressOf returns the address in a socket address of the kernel.
func addressOf(b []byte) (a address, ok bool) {
	const port, ipv4, ipv6 = 2, 4, 8 // offsets
	switch family := binary.NativeEndian.Uint16(b); {
	case family == unix.AF_INET && len(b) >= unix.SizeofSockaddrInet4:
		return address{b[ipv4 : ipv4+4], binary.BigEndian.Uint16(b[port:])}, true
	case family == unix.AF_INET6 && len(b) >= ipv6+16:
		ip := b[ipv6 : ipv6+16]
		if mapped := append(make([]byte, 10), 0xff, 0xff); bytes.HasPrefix(ip, mapped) {
			ip = ip[len(mapped):]
		}
		return address{ip, binary.BigEndian.Uint16(b[port:])}, true
	}
	return a, false
}

// local reports whether it is an address of this computer.
func (a address) local() bool {
	if len(a.ip) == 4 {
		return a.ip[0] == 127 || string(a.ip) == "\x00\x00\x00\x00"
	}
	return len(bytes.Trim(a.ip[:15], "\x00")) == 0 && a.ip[15] <= 1
}

// String returns the address and the port. Groups of zeros are written in full.
func (a address) String() string {
	var groups []string
	if len(a.ip) == 4 {
		for _, b := range a.ip {
			groups = append(groups, strconv.Itoa(int(b)))
		}
		return strings.Join(groups, ".") + ":" + strconv.Itoa(int(a.port))
	}
	for i := 0; i < len(a.ip); i += 2 {
		groups = append(groups, strconv.FormatUint(uint64(binary.BigEndian.Uint16(a.ip[i:])), 16))
	}
	return "[" + strings.Join(groups, ":") + "]:" + strconv.Itoa(int(a.port))
}

// Denies reports whether the layout of the command makes a path without links read-only or hides
// it. The nearest entry of the layout decides.
func (l *Listener) Denies(path string) bool {
	if below(path, "/dev") || below(path, "/proc") || below(path, "/sys") {
		return false
	}
	nearest, access := "", readOnly
	for _, e := range l.rights.entries() {
		if e.access != pin && len(e.path) >= len(nearest) && (path == e.path || below(path, e.path)) {
			nearest, access = e.path, e.access
		}
	}
	return access != write && access != temp
}
