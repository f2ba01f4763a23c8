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
	"agent/internal/tools/tempdir"
)

// approved returns the command exactly as it was approved, without time limits.
func (s *shellTool) approved(line string, at location, ok Approved) shell.Command {
	c := s.Command(cmp.Or(ok.Script, line), at.dir)
	if ok.Environment != nil && ok.Access.Private {
		c.Env = ok.Environment(c.Env)
	}
	c.Whole, c.Snapshot = s.Workspace.OutputFile(), ok.Snapshot
	return c
}

// launched is a command that has been started. Its guard is nil without a sandbox.
type launched struct {
	run   *shell.Running
	dir   string
	ports []uint16 // of servers in the session when it started; only for jobs
	input *os.File // standard input; nil if it is empty
	guard *confine.Guard
	temp  string // where /tmp of the session is, if the command found that of the system; may be empty

	unapproved bool // nobody approved the command
}

// tempNote returns a note for the model about a command that names /tmp and found that of the
// system; empty if it did not.
func (l launched) tempNote(line string) string {
	if l.temp == "" || !strings.Contains(line, tempdir.Mounts[0]) {
		return ""
	}
	return "[" + tempdir.Mounts[0] + " was that of the system for this command; what your other commands find there is in " + l.temp + "]\n"
}

// gitFunction returns the definition of GitFunction for a shell: it runs its arguments
// with only these variables. The program env has a fixed path, so that no other part of
// the script can replace it.
func gitFunction(env []string) string {
	words := []string{"/usr/bin/env", "-i"}
	for _, v := range env {
		if name, _, _ := strings.Cut(v, "="); name != "PWD" { // it is wrong after cd
			words = append(words, shell.Quote(v))
		}
	}
	return GitFunction + "() { " + strings.Join(words, " ") + " \"$@\"; }; "
}

// launch starts a command with the access that was approved. The caller calls End of
// the guard once the command has ended.
func (s *shellTool) launch(ctx context.Context, c shell.Command, ok Approved) (launched, error) {
	access := ok.Access
	l := launched{dir: c.Dir, unapproved: access.Strict || access.HideHome}
	readOnly := slices.Clone(access.ReadOnly)
	if access.Git != nil {
		view, err := access.Git.View(ctx)
		if err != nil {
			return l, fmt.Errorf("git cannot run without the configuration of the repository: %w", err)
		}
		env := c.Env
		if ok.Environment != nil {
			env = ok.Environment(env)
		}
		c.Line, c.Cleanup, readOnly = gitFunction(append(env, view.Env()...))+c.Line, view.Close, append(readOnly, view.Dirs()...)
	}
	if s.Area != nil && (access.Outside || access.SystemTemp) {
		if real := s.Area.Temp.Real(tempdir.Mounts[0]); real != tempdir.Mounts[0] {
			l.temp = real
		}
	}
	if !access.Outside {
		l.guard = s.Area.Begin(confine.Extent{
			Private: access.Private, HideHome: access.HideHome, Network: access.Network, SystemTemp: access.SystemTemp, Write: access.Write, Approved: access.Protected, ReadOnly: readOnly,
			Show: access.Show, Hide: access.Hide,
		})
	}
	c.Snapshot = l.guard.Order(c.Snapshot)
	if c.Limits.Sandbox = l.guard.Profile(); l.guard != nil && (access.Private || access.Strict && !access.Repositories || len(access.ReadOnly) > 0) {
		c.Env = confine.ProgramEnv(c.Env)
	}
	var err error
	l.run, err = shell.Start(c)
	if errors.Is(err, shell.ErrSandbox) {
		if s.Area.Failed != nil {
			s.Area.Failed()
		}
		err = fmt.Errorf("%w. Tell the user that restarting agent tests again which sandbox works", err)
	}
	return l, err
}

// end undoes changes that the sandbox could not prevent. It returns notices of these and of
// attempts that the sandbox prevented. The command must have ended.
func (l launched) end() []confine.Notice {
	if l.guard == nil {
		return nil
	}
	kept := l.run.How().Kept
	notices := l.guard.Refused(kept.Protected)
	for _, s := range kept.Settings {
		notices = append(notices, l.guard.RefusedSettings(s.Path, s.Why))
	}
	return append(notices, l.guard.EndWith(confine.Seen{Planted: kept.Planted, Made: kept.Made, Created: kept.Created})...)
}

// serverNote returns a note for the model about servers, by their ports, that the user cannot
// reach; empty if there are none.
func serverNote(servers []uint16) string {
	var ports []string
	for _, port := range servers {
		ports = append(ports, strconv.Itoa(int(port)))
	}
	if ports == nil {
		return ""
	}
	return "[listening in the sandbox on port " + strings.Join(ports, ", ") +
		": your commands reach it, programs of the user such as a browser do not]\n"
}

// servers returns the ports of servers in the sandbox that were started after the
// command. There are none if the command has the network of the computer.
func (l launched) servers() []uint16 {
	return slices.DeleteFunc(l.run.Listeners(), func(port uint16) bool { return slices.Contains(l.ports, port) })
}

// blocked says how the sandbox probably made the command fail, or which change it refused
// because the file cannot be kept; nil if it did neither. The command has ended.
func (l launched) blocked(output string, code int) *Blocked {
	kept := l.run.How().Kept
	if r := kept.Refused; r != nil && r.Matters(output) {
		if r.Raced() {
			l.guard.Evaded()
		}
		return &Blocked{Path: r.Path, NotUndoable: r.Why, Unrecorded: kept.Problem}
	}
	f, ok := shell.SandboxFailure(l.guard.Profile(), l.dir, output, code, kept)
	if !ok {
		return nil
	}
	p := l.guard.Profile()
	hidden := slices.ContainsFunc(p.Hide, func(path string) bool { return f.Path == path || strings.HasPrefix(f.Path, path+"/") })
	return &Blocked{
		Network: f.Network, Address: f.Address, Path: f.Path, Read: f.Read, Home: f.Read && p.NoHome && !hidden && strings.HasPrefix(f.Path, p.Home+"/"),
		Unrecorded: kept.Problem,
	}
}

// note returns a note for the model; empty if b is nil.
func (b *Blocked) note() string {
	switch {
	case b == nil:
		return ""
	case b.NotUndoable != "":
		return "[a change was refused, because it could not be undone: " + cmp.Or(b.Path, "unknown path") + ": " + b.NotUndoable +
			". Do not work around it: if the change is needed, tell the user why]\n"
	}
	return "[the sandbox probably caused this failure: " + shell.Failure{Network: b.Network, Address: b.Address, Path: b.Path, Read: b.Read, Home: b.Home}.String() +
		". Do not work around it: if the command is needed, tell the user why]\n"
}

// undoneNote describes changes that were undone, for the model.
func undoneNote(undone []confine.Notice) (text string) {
	for _, n := range undone {
		text += "[" + n.Text + "]\n"
	}
	return text
}

// undoneSummary describes changes that were undone in a few words, for the user.
func undoneSummary(undone []confine.Notice) (text string) {
	for _, n := range undone {
		text += " · " + n.Short
	}
	return text
}
