package shell

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// Program is what runs commands.
func Program() string { return "cmd" }

// process is a shell.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when the shell has ended
	gone   chan struct{} // closed when what can be found of it has
	left   bool          // never known here
	lost   bool
}

// launch has a line run by cmd, apart from our console's signals. The command
// line is put together here, because cmd does not understand quotes as other
// programs do.
func launch(line, dir string, env []string, _ int, in, out *os.File) (*process, error) {
	cmd := exec.Command(Program())
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, env, in, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CmdLine:       `cmd /S /C "` + line + `"`,
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP,
		HideWindow:    true,
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, exited: make(chan struct{}), gone: make(chan struct{})}
	go func() {
		defer close(p.gone)
		cmd.Wait() // its error is in ProcessState
		close(p.exited)
		p.kill()
	}()
	return p, nil
}

// terminate ends the shell and its descendants. There is no polite way here.
func (p *process) terminate() { p.kill() }

func (p *process) kill() {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.cmd.Process.Pid)).Run()
}

// abandon has nothing left to try.
func (p *process) abandon() {}

// ended says how the shell ended.
func (p *process) ended() (code int, words string) {
	select {
	case <-p.exited:
		code = p.cmd.ProcessState.ExitCode()
		return code, fmt.Sprintf("exit %d", code)
	default:
		return -1, "cannot be killed and was left alone"
	}
}
