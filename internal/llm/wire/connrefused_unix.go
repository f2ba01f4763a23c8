//go:build !windows

package wire

import (
	"errors"
	"syscall"
)

// refusedConnection reports whether err says that nothing is listening.
func refusedConnection(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
