//go:build unix

package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/keeper"
)

// Program is what runs commands: bash where there is one.
func Program() string {
	if bash, err := exec.LookPath("bash"); err == nil {
		return bash
	}
	return "/bin/sh"
}

// process is a shell under its keeper.
type process struct {
	keeper *exec.Cmd
	orders *os.File
	group  int // that the shell leads; 0 if it is not known

	exited chan struct{} // closed when the shell has ended
	gone   chan struct{} // closed when all of it has, and the keeper too

	status *syscall.WaitStatus // of the shell, once exited is closed; nil if it is not known
	left   bool                // once gone is closed: others outlived the shell, and were killed
	lost   bool                // once gone is closed: something may be left, the keeper's or another user's
}

// launch has a line run by Program, with in and out for its streams, which the
// caller closes.
func launch(line, dir string, env []string, processes int, in, out *os.File) (*process, error) {
	if !keeper.Dispatched() {
		return nil, errors.New("this program cannot start commands: its main does not call keeper.Run")
	}
	order, err := keeper.Order{Args: []string{Program(), "-c", "--", line}, Env: env, Processes: processes}.Encode()
	if err != nil {
		return nil, err
	}
	self, err := self()
	if err != nil {
		return nil, err
	}
	theirs, orders, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	reports, w, err := os.Pipe()
	if err != nil {
		orders.Close()
		return nil, err
	}
	defer w.Close()
	p := &process{orders: orders, exited: make(chan struct{}), gone: make(chan struct{})}
	p.keeper = &exec.Cmd{
		Path: self, Args: []string{keeper.Name},
		Dir: dir, Env: []string{}, // it is not in need of any, and a command can read its parent's
		ExtraFiles:  []*os.File{theirs, w, in, out},
		SysProcAttr: attributes(),
	}
	if err := p.keeper.Start(); err != nil {
		orders.Close()
		reports.Close()
		return nil, err
	}
	theirs.Close() // a keeper that is dead shows in both pipes
	w.Close()
	if err := p.begin(order, reports); err != nil {
		orders.Close()
		reports.Close()
		p.keeper.Wait()
		return nil, err
	}
	go p.listen(reports)
	return p, nil
}

// begin gives the order and waits for the shell to have started. The command may
// be quicker than its keeper's report, and have stopped the keeper, which goes on
// then, or killed it: listen sees to that.
func (p *process) begin(order []byte, reports *os.File) error {
	if _, err := p.orders.Write(order); err != nil {
		return fmt.Errorf("its keeper takes no order: %w", err)
	}
	b := make([]byte, keeper.Size)
	err := os.ErrDeadlineExceeded
	for errors.Is(err, os.ErrDeadlineExceeded) {
		_ = p.keeper.Process.Signal(syscall.SIGCONT)
		_ = reports.SetReadDeadline(time.Now().Add(time.Second))
		_, err = io.ReadFull(reports, b)
	}
	_ = reports.SetReadDeadline(time.Time{})
	if err != nil {
		return nil
	}
	r := keeper.Decode(b)
	if r.Kind == keeper.Failed {
		return fmt.Errorf("%s: %w", Program(), syscall.Errno(r.Value))
	}
	p.group = int(r.Value)
	return nil
}

// listen takes the keeper's reports, and buries it.
func (p *process) listen(reports *os.File) {
	defer close(p.gone)
	lost, beyond := true, false
	for b := make([]byte, keeper.Size); ; {
		if _, err := io.ReadFull(reports, b); err != nil {
			break
		}
		switch r := keeper.Decode(b); r.Kind {
		case keeper.Exited:
			status := syscall.WaitStatus(r.Value)
			p.status = &status
			close(p.exited)
		case keeper.Left:
			p.left = true
		case keeper.Done:
			lost = false
		case keeper.Beyond:
			beyond = true
		}
	}
	reports.Close()
	p.orders.Close()
	p.lost = lost
	if lost && !beyond {
		p.salvage(p.keeper.Process.Pid)
	}
	p.keeper.Wait()
	if p.status == nil {
		close(p.exited)
	}
}

// terminate asks all of it to end.
func (p *process) terminate() { p.tell(keeper.Terminate) }

// kill ends all of it.
func (p *process) kill() { p.tell(keeper.Kill) }

func (p *process) tell(order byte) {
	_, _ = p.orders.Write([]byte{order}) // a keeper that cannot take it has ended
	_ = p.keeper.Process.Signal(syscall.SIGCONT)
}

// abandon is for when kill has no effect: what is kept does not die, because it
// is in the hands of the kernel.
func (p *process) abandon() { _ = p.keeper.Process.Kill() }

// ended says how the shell ended.
func (p *process) ended() (code int, words string) {
	select {
	case <-p.exited:
	default:
		return -1, "cannot be killed and was left alone"
	}
	switch {
	case p.status == nil:
		return -1, "ended when the process that keeps it was killed"
	case p.status.Signaled():
		return -1, "killed by " + unix.SignalName(p.status.Signal())
	}
	code = p.status.ExitStatus()
	words = fmt.Sprintf("exit %d", code)
	if name := unix.SignalName(syscall.Signal(code - 128)); code > 128 && name != "" {
		words += " (128 + " + name + ")" // how a shell reports that a child was killed
	}
	return code, words
}
