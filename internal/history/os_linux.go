package history

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// born returns when a file was created, in nanoseconds, so that a later file with the same
// inode differs. If the file system does not know, it returns the device.
func born(path string, st *unix.Stat_t) uint64 {
	var x unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_BTIME, &x) == nil && x.Mask&unix.STATX_BTIME != 0 {
		return uint64(x.Btime.Sec)*1e9 + uint64(x.Btime.Nsec)
	}
	return st.Dev
}

// holder returns the process that holds the lock of f, 0 if unknown.
func holder(f *os.File) int {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return 0
	}
	dev := uint64(st.Dev)
	want := fmt.Sprintf("%02x:%02x:%d", unix.Major(dev), unix.Minor(dev), st.Ino)
	table, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0
	}
	for row := range strings.Lines(string(table)) {
		// 1: FLOCK  ADVISORY  WRITE 4711 fe:00:131 0 EOF
		if c := strings.Fields(row); len(c) > 5 && c[1] == "FLOCK" && c[5] == want {
			pid, _ := strconv.Atoi(c[4])
			return max(pid, 0)
		}
	}
	return 0
}
