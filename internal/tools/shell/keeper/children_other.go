//go:build unix && !linux

package keeper

import "syscall"

// adopt has no way to do its work here: orphans are out of our reach unless they
// stay in the group.
func adopt() {}

// attributes make the command a process group.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// wait waits until a child has ended and buries it. It returns with k.mu held;
// for a moment before, the number of the dead is nobody's.
func (k *keeper) wait() (pid int, status syscall.WaitStatus, err error) {
	pid, err = syscall.Wait4(-1, &status, 0, nil)
	k.mu.Lock()
	return pid, status, err
}

// children cannot be listed here.
func children() []int { return nil }

// remains reports whether anything of the group is alive.
func remains(group int) bool { return syscall.Kill(-group, 0) == nil }
