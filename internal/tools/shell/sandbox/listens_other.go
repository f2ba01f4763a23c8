//go:build !linux

package sandbox

// HostListens reports false: it is not implemented for this system.
func HostListens(uint16) bool { return false }

// Listeners returns none: it is not implemented for this system.
func Listeners(int) []uint16 { return nil }
