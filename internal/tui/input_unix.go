//go:build unix

package tui

import (
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// terminalInput returns the terminal's input, which calls gone once nothing can
// be read from it any more: the program must not outlive a terminal that was
// closed without a signal. It returns nil to leave the choice to Bubble Tea.
func terminalInput(gone func()) io.Reader {
	if !term.IsTerminal(os.Stdin.Fd()) {
		return nil
	}
	return &watched{os.Stdin, gone}
}

// watched is a terminal whose end is told.
type watched struct {
	*os.File
	gone func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.File.Read(p)
	if err != nil {
		w.gone()
	}
	return n, err
}
