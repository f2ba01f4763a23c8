package tools

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"agent/internal/tools/confine"
	"agent/internal/tools/shell"
)

// approved returns a command as it was approved, without limits of time.
func (s *shellTool) approved(line string, at location, ok Approved) shell.Command {
	c := s.command(cmp.Or(ok.Script, line), at.dir)
	if ok.Environment != nil {
		c.Env = ok.Environment(c.Env)
	}
	c.Whole = s.Workspace.OutputFile()
	return c
}

// launched is a command that has been started. Its guard is nil without a sandbox.
type launched struct {
	run   *shell.Running
	dir   string
	input *os.File // standard input; nil if it is empty
	guard *confine.Guard
}

// launch starts a command with the access that was approved. The caller calls End of
// the guard once the command has ended.
func (s *shellTool) launch(c shell.Command, access Access) (launched, error) {
	l := launched{dir: c.Dir}
	if !access.Outside {
		l.guard = s.Area.Begin(access.Private, access.Network)
	}
	c.Limits.Sandbox = l.guard.Profile()
	var err error
	l.run, err = shell.Start(c)
	if errors.Is(err, shell.ErrSandbox) {
		if s.Area.Failed != nil {
			s.Area.Failed()
		}
		err = fmt.Errorf("%w. Tell the user: restarting agent finds out again which sandbox works here", err)
	}
	return l, err
}

// blocked returns how the sandbox probably made the command fail; nil if it did not.
func (l launched) blocked(output string, code int) *Blocked {
	f, ok := shell.SandboxFailure(l.guard.Profile(), l.dir, output, code)
	if !ok {
		return nil
	}
	return &Blocked{Network: f.Network, Path: f.Path}
}

// note returns a note for the model; empty if b is nil.
func (b *Blocked) note() string {
	if b == nil {
		return ""
	}
	return "[the sandbox probably caused this failure: " + shell.Failure{Network: b.Network, Path: b.Path}.String() +
		". Do not work around it: if the command is needed, tell the user why]\n"
}

// undoneNote returns notes for the model on what was undone.
func undoneNote(undone []confine.Notice) (text string) {
	for _, n := range undone {
		text += "[" + n.Text + "]\n"
	}
	return text
}

// undoneSummary returns what was undone in a few words for the user.
func undoneSummary(undone []confine.Notice) (text string) {
	for _, n := range undone {
		text += " · " + n.Short
	}
	return text
}
