package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// program is this program, even where its file has been replaced since.
func program() (string, error) { return "/proc/self/exe", nil }

// shrink makes a pipe hold as little as it can.
func shrink(pipe *os.File) { _, _ = unix.FcntlInt(pipe.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize()) }

// redirect has what is written to the descriptor to go where from goes.
func redirect(from, to int) error { return unix.Dup3(from, to, 0) }
