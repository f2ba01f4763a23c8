package lines

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// Hide stops the terminal from showing what the user types, until show is called. If a signal
// ends the program before, cleanup does it: see command.Factory.
func (in *Input) Hide(cleanup func(func()) (forget func())) (show func()) {
	fd := os.Stdin.Fd()
	was, err := term.GetState(fd)
	if err != nil {
		return func() {}
	}
	hidden := *was
	hideState(&hidden)
	restore := func() { _ = term.Restore(fd, was) }
	forget := cleanup(restore)
	_ = term.Restore(fd, &hidden)
	return func() {
		restore()
		forget()
	}
}
