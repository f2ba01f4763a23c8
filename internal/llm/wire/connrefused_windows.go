package wire

import (
	"errors"

	"golang.org/x/sys/windows"
)

// refusedConnection reports whether err says that nothing is listening.
func refusedConnection(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }
