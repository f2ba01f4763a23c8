package terminal

import (
	"io"

	tea "charm.land/bubbletea/v2"
)

// lend runs another program on the terminal and blocks until it exits, because only
// tea.Exec can stop Bubble Tea's reading of the console.
func (s *stage) lend(l lend) tea.Msg { return tea.Exec(lent{s, l}, tea.ExecCallback(l.done))() }

// lent runs the other program for tea.Exec.
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

// SetStdin, SetStdout and SetStderr implement tea.ExecCommand. They do nothing: handOver sets the files.
func (l lent) SetStdin(io.Reader) {}

func (l lent) SetStdout(io.Writer) {}

func (l lent) SetStderr(io.Writer) {}
