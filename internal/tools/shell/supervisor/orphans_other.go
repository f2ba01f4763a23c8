//go:build unix && !linux

package supervisor

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func executable() (string, error) { return os.Executable() }

// ownSession starts a supervisor in its own session.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// killOrphans kills the process group of a command whose supervisor was killed.
func (p *Process) killOrphans(int) {
	if p.Group > 0 {
		_ = unix.Kill(-p.Group, unix.SIGKILL)
	}
}
