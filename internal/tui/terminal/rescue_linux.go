package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// program returns the path of this executable, which is valid even if the file was replaced.
func program() (string, error) { return "/proc/self/exe", nil }

// shrink sets the capacity of a pipe to its minimum.
func shrink(pipe *os.File) { _, _ = unix.FcntlInt(pipe.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize()) }

// redirect makes the descriptor to a duplicate of from.
func redirect(from, to int) error { return unix.Dup3(from, to, 0) }
