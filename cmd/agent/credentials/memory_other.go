//go:build !linux

package credentials

// ProtectMemory does nothing. On macOS, PT_DENY_ATTACH would keep debuggers away
// but not those who read the environment (ps -E), so it is not used. On Windows,
// processes of the same user can open each other.
func ProtectMemory() {}
