//go:build unix && !linux

package snapshot

import "syscall"

// changed returns the time of the last change of the content or the inode, in
// nanoseconds.
func changed(st *syscall.Stat_t) int64 { return st.Ctimespec.Nano() }

// modified returns the time of the last change of the content, in nanoseconds.
func modified(st *syscall.Stat_t) int64 { return st.Mtimespec.Nano() }
