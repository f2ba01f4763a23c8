package rescue

import "syscall"

const (
	readState  = syscall.TIOCGETA
	writeState = syscall.TIOCSETA
)
