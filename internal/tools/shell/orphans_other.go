//go:build unix && !linux

package shell

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func executable() (string, error) { return os.Executable() }

// attributes start a keeper in its own session.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// killOrphans kills the process group of a command whose keeper was killed.
func (p *process) killOrphans(int) {
	if p.group > 0 {
		_ = unix.Kill(-p.group, unix.SIGKILL)
	}
}
