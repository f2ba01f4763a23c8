//go:build !linux

package credentials

// ProtectMemory does nothing. On macOS, PT_DENY_ATTACH blocks debuggers, but not
// reading the environment (ps -E). On Windows, processes of the same user can open
// each other.
func ProtectMemory() {}
