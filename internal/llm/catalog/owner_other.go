//go:build !linux

package catalog

import "net/netip"

// systemListeners returns no users: macOS and Windows do not let ordinary
// programs look up the owner of a socket. Local servers are then only offered,
// not used automatically.
func systemListeners(netip.AddrPort) []int { return nil }
