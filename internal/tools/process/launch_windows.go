package process

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"syscall"
)

// running is the process of a program.
type running struct {
	cmd  *exec.Cmd
	over chan struct{} // closed when the program has exited
}

// launch starts the program at path with the streams, without the signals of our console.
func launch(p Program, path string, s streams) (running, error) {
	if p.Sandbox != nil {
		return running{}, errors.New("there is no sandbox on Windows")
	}
	cmd := exec.Command(path, p.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Dir, p.Env, s.input, s.output, s.errors
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	if err := cmd.Start(); err != nil {
		return running{}, err
	}
	r := running{cmd: cmd, over: make(chan struct{})}
	go func() {
		defer close(r.over)
		cmd.Wait() // the error is in ProcessState
	}()
	return r, nil
}

func (r running) exited() <-chan struct{} { return r.over }

func (r running) done() <-chan struct{} { return r.over }

// terminate kills the program and its descendants. Windows has no polite way.
func (r running) terminate() { r.kill() }

func (r running) kill() {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(r.cmd.Process.Pid)).Run()
}

// abandon does nothing: there is no stronger way.
func (r running) abandon() {}

func (r running) status() (code int, words string) {
	select {
	case <-r.over:
		code = r.cmd.ProcessState.ExitCode()
		return code, fmt.Sprintf("exit %d", code)
	default:
		return -1, "cannot be killed"
	}
}

func (r running) parent() int { return r.cmd.Process.Pid }
