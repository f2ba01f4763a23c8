package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Datasync returns when the content and the size of f would survive a power failure.
func Datasync(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
