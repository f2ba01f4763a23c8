//go:build unix && !linux

package supervisor

import "syscall"

// becomeSubreaper does nothing: on this system orphans that leave the process
// group escape.
func becomeSubreaper() {}

// attributes start the command as a process group.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// wait waits for a child to exit and reaps it. s.mu is held on return, but not
// during the reaping.
func (s *supervisor) wait() (pid int, status syscall.WaitStatus, err error) {
	pid, err = syscall.Wait4(-1, &status, 0, nil)
	s.mu.Lock()
	return pid, status, err
}

// children returns nil: this system has no list of children.
func children() []int { return nil }

// descendants returns nil: see children.
func descendants() []int { return nil }

// groupAlive reports whether a process of the group is alive.
func groupAlive(group int) bool { return syscall.Kill(-group, 0) == nil }
