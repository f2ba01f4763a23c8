package terminal

import (
	"io"
	"os"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/windows"
)

// makeRaw switches the console input to raw mode, or the output to escape sequences.
// It returns the original state of f.
func makeRaw(f *os.File, keys bool) (*term.State, error) {
	if keys {
		return term.MakeRaw(f.Fd())
	}
	state, err := term.GetState(f.Fd())
	if err != nil {
		return nil, err
	}
	var mode uint32
	if err := windows.GetConsoleMode(windows.Handle(f.Fd()), &mode); err != nil {
		return nil, err
	}
	mode |= windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING | windows.DISABLE_NEWLINE_AUTO_RETURN
	return state, windows.SetConsoleMode(windows.Handle(f.Fd()), mode)
}

// foreground returns true: Windows has no job control.
func (t *tty) foreground() bool { return true }

// watch returns f: a closed console sends a signal, and Bubble Tea reads console
// events itself.
func (t *tty) watch(f *os.File, _ func()) io.Reader { return f }
