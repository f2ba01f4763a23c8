//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// catchFileLimit makes a write beyond the limit of a file's size an error,
// and not the end of the program. The signal is caught and not ignored, which
// the commands that the program starts would inherit.
func catchFileLimit() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ)
}
