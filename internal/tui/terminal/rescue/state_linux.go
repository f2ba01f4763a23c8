package rescue

import "syscall"

const (
	readState  = syscall.TCGETS
	writeState = syscall.TCSETS
)
