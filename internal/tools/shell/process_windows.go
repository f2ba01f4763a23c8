package shell

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// Program returns the shell.
func Program() string { return "cmd" }

// process is a shell.
type process struct {
	cmd       *exec.Cmd
	unwatched string        // why the changed files are not watched; empty if they need not be
	Exited    chan struct{} // closed when the shell has exited
	Done      chan struct{} // closed when its known descendants are killed
	Left      bool          // always false on Windows
	Lost      bool
}

// launch runs line in cmd, without the signals of our console. It builds the
// command line itself, because cmd has quoting rules of its own.
func launch(c Command, line string, env []string, in, out *os.File) (*process, error) {
	if c.Limits.Sandbox != nil {
		return nil, errors.New("there is no sandbox on Windows")
	}
	_, unwatched, err := watchable(c.Snapshot, false, "this system cannot report file changes")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(Program())
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, env, in, out, cmp.Or(c.Errors, out)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CmdLine:       `cmd /S /C "` + line + `"`,
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP,
		HideWindow:    true,
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, unwatched: unwatched, Exited: make(chan struct{}), Done: make(chan struct{})}
	go func() {
		defer close(p.Done)
		cmd.Wait() // the error is in ProcessState
		close(p.Exited)
		p.Kill()
	}()
	return p, nil
}

// kept returns why no files were kept.
func (p *process) kept() Kept { return Kept{Problem: p.unwatched} }

// NewTurn does nothing: no files are kept on Windows.
func (p *process) NewTurn() {}

// Terminate kills the shell and its descendants. Windows has no polite way.
func (p *process) Terminate() { p.Kill() }

// Kill kills the shell and its descendants.
func (p *process) Kill() {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.cmd.Process.Pid)).Run()
}

// Abandon does nothing: there is no stronger way.
func (p *process) Abandon() {}

// exitStatus returns the exit code of the shell, or -1, and a description.
func (p *process) exitStatus() (code int, words string) {
	select {
	case <-p.Exited:
		code = p.cmd.ProcessState.ExitCode()
		return code, fmt.Sprintf("exit %d", code)
	default:
		return -1, "cannot be killed"
	}
}

// listeners returns none: there is no sandbox on Windows.
func (p *process) listeners() []uint16 { return nil }
