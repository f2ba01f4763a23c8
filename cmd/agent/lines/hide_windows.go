package lines

import (
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/windows"
)

// hideState turns off echo.
func hideState(s *term.State) { s.Mode &^= windows.ENABLE_ECHO_INPUT }
