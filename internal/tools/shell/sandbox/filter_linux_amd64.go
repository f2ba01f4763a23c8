package sandbox

import "golang.org/x/sys/unix"

const (
	architecture = unix.AUDIT_ARCH_X86_64
	foreignCalls = 0x40000000 // numbers of the x32 ABI begin here
)
