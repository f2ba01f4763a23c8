package terminal

import (
	"io"

	tea "charm.land/bubbletea/v2"
)

// lend lets another program have the terminal. Everything waits for it: Bubble
// Tea alone can stop its own reading of the console.
func (s *stage) lend(l lend) tea.Msg { return tea.Exec(lent{s, l}, tea.ExecCallback(l.told))() }

// lent runs the other program in Bubble Tea's place.
type lent struct {
	on *stage
	lend
}

// Run implements tea.ExecCommand.
func (l lent) Run() error {
	l.on.handOver(l.lend)
	defer l.on.takeBack(l.note)
	return l.lend.Run()
}

// SetStdin implements tea.ExecCommand, as the others do: handOver knows better.
func (l lent) SetStdin(io.Reader) {}

func (l lent) SetStdout(io.Writer) {}

func (l lent) SetStderr(io.Writer) {}
