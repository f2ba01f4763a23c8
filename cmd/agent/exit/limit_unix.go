//go:build unix

package exit

import (
	"os"
	"os/signal"
	"syscall"
)

// catchFileLimit catches SIGXFSZ, so that a write beyond the file size limit is an
// error and does not end the program. The signal is not ignored, because commands
// that the program starts would inherit that.
func catchFileLimit() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ)
}
