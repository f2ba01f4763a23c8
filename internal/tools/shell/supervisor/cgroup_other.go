//go:build unix && !linux

package supervisor

import "syscall"

// cgroup is empty: this system has no control groups.
type cgroup struct{}

func newCgroup(int, *syscall.SysProcAttr) *cgroup { return nil }
func disableCgroup(*syscall.SysProcAttr) bool     { return false }
func cgroupOf(*syscall.SysProcAttr) int           { return -1 }
func (f *cgroup) restoreThread()                  {}
func (f *cgroup) freeze()                         {}
func (f *cgroup) remove()                         {}
