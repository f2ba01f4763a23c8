//go:build unix && !linux

package shell

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func self() (string, error) { return os.Executable() }

// attributes give a keeper a session of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// salvage kills the group of a command that has lost its keeper.
func (p *process) salvage(int) {
	if p.group > 0 {
		_ = unix.Kill(-p.group, unix.SIGKILL)
	}
}
