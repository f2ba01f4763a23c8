//go:build unix && !linux

package history

import "golang.org/x/sys/unix"

// born returns the device of a file, so that a file with the same inode on another file
// system differs.
func born(_ string, st *unix.Stat_t) uint64 { return uint64(st.Dev) }
