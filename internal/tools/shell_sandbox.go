package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

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
	ports []uint16 // of servers in the session when it started
	input *os.File // standard input; nil if it is empty
	guard *confine.Guard
}

// launch starts a command with the access that was approved. The caller calls End of
// the guard once the command has ended.
func (s *shellTool) launch(ctx context.Context, c shell.Command, access Access) (launched, error) {
	l := launched{dir: c.Dir}
	if access.Git != nil {
		view, err := access.Git.View(ctx)
		if err != nil {
			return l, fmt.Errorf("git cannot run without the configuration of the repository: %w", err)
		}
		c.Env, c.Cleanup = append(c.Env, view.Env()...), view.Close
	}
	if !access.Outside {
		l.guard = s.Area.Begin(access.Private, access.Network, access.Hide...)
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
	if err == nil {
		l.ports = l.run.Listeners()
	}
	return l, err
}

// serverNote returns a note for the model if servers were started in the sandbox since
// the command, which the user cannot reach.
func (l launched) serverNote() string {
	var ports []string
	for _, port := range l.servers() {
		ports = append(ports, strconv.Itoa(int(port)))
	}
	if ports == nil {
		return ""
	}
	return "[listening in the sandbox on port " + strings.Join(ports, ", ") +
		": your commands reach it; programs of the user, such as a browser, do not, unless the user approves the network for this job]\n"
}

// servers returns the ports on which servers listen in the sandbox that were started
// since the command. None of them is returned if it has the network of the computer.
func (l launched) servers() []uint16 {
	return slices.DeleteFunc(l.run.Listeners(), func(port uint16) bool { return slices.Contains(l.ports, port) })
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
