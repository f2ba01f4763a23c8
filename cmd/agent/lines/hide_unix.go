//go:build unix

package lines

import (
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// hideState turns off echo.
func hideState(s *term.State) { s.Lflag &^= unix.ECHO }
