//go:build unix

package shell

import (
	"cmp"
	"net/netip"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/shell/supervisor"
)

// Program returns the shell: bash if installed.
func Program() string {
	if bash, err := exec.LookPath("bash"); err == nil {
		return bash
	}
	return "/bin/sh"
}

// process is a shell and its supervisor.
type process struct {
	*supervisor.Process
	unwatched string // why the changed files are not watched; empty if they are, or need not be
}

// launch runs line in Program with in as input and out as output, which the
// caller closes. The directory, the limits, the sandbox and the files to keep
// are those of c.
func launch(c Command, line string, env []string, in, out *os.File) (*process, error) {
	order := supervisor.Order{Args: []string{Program(), "-c", "--", line}, Env: env, Processes: c.Processes}
	var err error
	p := new(process)
	order.Snapshot, p.unwatched, err = watchable(c.Snapshot, c.Limits.Sandbox != nil, "the changes of commands outside of the sandbox are not seen")
	if err != nil {
		return nil, err
	}
	p.Process, err = supervisor.Start(order, c.Limits.Sandbox, c.Dir, supervisor.Streams{Input: in, Output: out, Errors: cmp.Or(c.Errors, out)})
	return p, err
}

// kept returns what was kept of the changed files. Call it after Done is closed.
func (p *process) kept() Kept {
	if p.unwatched != "" {
		return Kept{Problem: p.unwatched}
	}
	files := p.Files
	for i, a := range files.Attempts {
		if to, err := netip.ParseAddrPort(a.Target); err == nil && a.Kind != AttemptWrite {
			files.Attempts[i].Target = to.String() // without groups of zeros
		}
	}
	return files
}

// listeners returns the TCP ports of servers in the network of the shell.
func (p *process) listeners() []uint16 {
	if p.Group == 0 {
		return nil
	}
	return sandbox.Listeners(p.Group)
}

// exitStatus returns the exit code of the shell, or -1, and a description.
func (p *process) exitStatus() (code int, words string) {
	code, words = p.ExitStatus()
	if name := unix.SignalName(syscall.Signal(code - 128)); code > 128 && name != "" {
		words += " (128 + " + name + ")" // the shell reports a killed child this way
	}
	return code, words
}
