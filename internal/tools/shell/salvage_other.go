//go:build unix && !linux

package shell

import (
	"os"

	"golang.org/x/sys/unix"
)

func self() (string, error) { return os.Executable() }

// salvage kills the group of a command that has lost its keeper.
func (p *process) salvage(int) { _ = unix.Kill(-p.group, unix.SIGKILL) }
