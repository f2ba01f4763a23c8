package terminal

import (
	"io"
	"os"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/windows"
)

// makeRaw has the console tell keys, and take what is drawn, as terminals do
// everywhere else. It returns how f was.
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

// foreground is always true: there is no job control.
func (t *tty) foreground() bool { return true }

// watch returns f: the console ends with a signal, and tells of keys in a way of
// its own.
func (t *tty) watch(f *os.File, _ func()) io.Reader { return f }
