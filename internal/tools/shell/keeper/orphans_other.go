//go:build unix && !linux

package keeper

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func executable() (string, error) { return os.Executable() }

// ownSession starts a keeper in its own session.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// killOrphans kills the process group of a command whose keeper was killed.
func (p *Process) killOrphans(int) {
	if p.Group > 0 {
		_ = unix.Kill(-p.Group, unix.SIGKILL)
	}
}
