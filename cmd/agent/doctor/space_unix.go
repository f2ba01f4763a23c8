//go:build linux || darwin

package doctor

import "syscall"

// freeSpace returns the free bytes of the file system that holds dir, as far as this
// user may use them.
func freeSpace(dir string) (bytes int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
