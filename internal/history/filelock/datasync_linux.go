package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Datasync makes the content and the size of f durable.
func Datasync(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
