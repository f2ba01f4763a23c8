//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"errors"
	"net/netip"

	"golang.org/x/sys/unix"
)

// namePort is the port at which servers look up names.
const namePort = 53

// noteConnect reports a connection of a command without the network that failed, or that may fail
// later, and each lookup of a name. Connections to Unix sockets are not reported: libraries try
// some in vain.
func (l *Listener) noteConnect(socket int, address []byte, err error) {
	to, ok := addressOf(address)
	if !ok || l.Connects == nil || l.gate.plan.network || to.Port() == 0 {
		return
	}
	kind, _ := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_TYPE)
	lookup := to.Port() == namePort && kind == unix.SOCK_DGRAM
	local := to.Addr().IsLoopback() || to.Addr().IsUnspecified()
	switch {
	case lookup:
	case local && (errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.EINPROGRESS)):
	case !local && err != nil && !errors.Is(err, unix.EISCONN) && !errors.Is(err, unix.EALREADY):
	default:
		return
	}
	l.Connects(to.String(), lookup)
}

// addressOf returns the address and port in a socket address of the kernel.
func addressOf(b []byte) (netip.AddrPort, bool) {
	const port, ipv4, ipv6 = 2, 4, 8 // offsets
	switch binary.NativeEndian.Uint16(b) {
	case unix.AF_INET:
		if len(b) >= unix.SizeofSockaddrInet4 {
			return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[ipv4:])), binary.BigEndian.Uint16(b[port:])), true
		}
	case unix.AF_INET6:
		if len(b) >= ipv6+16 {
			return netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[ipv6:])).Unmap(), binary.BigEndian.Uint16(b[port:])), true
		}
	}
	return netip.AddrPort{}, false
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
