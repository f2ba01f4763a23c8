package snapshot

import "syscall"

// changed returns the time of the last change of the content or the inode, in
// nanoseconds.
func changed(st *syscall.Stat_t) int64 { return st.Ctim.Nano() }

// modified returns the time of the last change of the content, in nanoseconds.
func modified(st *syscall.Stat_t) int64 { return st.Mtim.Nano() }
