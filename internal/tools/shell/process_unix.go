//go:build unix

package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/keeper"
	"agent/internal/tools/shell/sandbox"
)

// Program returns the shell: bash if installed.
func Program() string {
	if bash, err := exec.LookPath("bash"); err == nil {
		return bash
	}
	return "/bin/sh"
}

// process is a shell and its keeper.
type process struct {
	keeper *exec.Cmd
	orders *os.File
	group  int // process group of the shell; 0 if unknown

	exited chan struct{} // closed when the shell has exited
	done   chan struct{} // closed when all processes and the keeper have exited

	status *syscall.WaitStatus // of the shell, after exited is closed; nil if unknown
	turn   sync.Mutex          // held while a new turn begins
	turned chan struct{}       // has a token when a new turn has begun
	kept   Kept                // after done is closed
	left   bool                // after done is closed: processes outlived the shell and were killed
	lost   bool                // after done is closed: processes may be left
}

// launch runs line in Program with in as input and out as output, which the
// caller closes. The directory, the limits, the sandbox and the files to keep
// are those of c.
func launch(c Command, line string, env []string, in, out *os.File) (*process, error) {
	if !keeper.Dispatched() {
		return nil, errors.New("this program cannot start commands: main does not call keeper.Run")
	}
	o, namespaces, kept, err := orderOf(c, line, env)
	if err != nil {
		return nil, err
	}
	encoded, err := o.Encode()
	if err != nil {
		return nil, err
	}
	path, err := executable()
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
	p := &process{orders: orders, kept: kept, turned: make(chan struct{}, 1), exited: make(chan struct{}), done: make(chan struct{})}
	p.keeper = &exec.Cmd{
		Path: path, Args: []string{keeper.Name},
		Dir: c.Dir, Env: []string{}, // the command can read its parent's environment
		ExtraFiles:  append([]*os.File{theirs, w, in, out}, namespaces...),
		SysProcAttr: attributes(),
	}
	if err := p.keeper.Start(); err != nil {
		orders.Close()
		reports.Close()
		return nil, err
	}
	theirs.Close() // so that the exit of the keeper closes both pipes
	w.Close()
	if err := p.start(encoded, reports); err != nil {
		orders.Close()
		reports.Close()
		p.keeper.Wait()
		return nil, err
	}
	go p.listen(reports)
	return p, nil
}

// orderOf returns the order for the keeper of a command, the namespaces of its sandbox, and
// why its files are not kept.
func orderOf(c Command, line string, env []string) (o keeper.Order, namespaces []*os.File, kept Kept, err error) {
	o = keeper.Order{Args: []string{Program(), "-c", "--", line}, Env: env, Processes: c.Processes}
	o.Snapshot, kept, err = watchable(c.Snapshot, c.Limits.Sandbox != nil, "the changes of commands outside of the sandbox are not seen")
	if err != nil || c.Limits.Sandbox == nil {
		return o, nil, kept, err
	}
	words, n, err := c.Limits.Sandbox.Order()
	if err != nil {
		return o, nil, kept, fmt.Errorf("%w: %w", ErrSandbox, err)
	}
	o.Sandbox = words
	if n.User != nil {
		namespaces = []*os.File{n.User, n.Net}
	}
	return o, namespaces, kept, nil
}

// start sends the order and waits until the shell has started. The command may
// already have stopped the keeper, which is then continued, or killed it, which
// listen handles.
func (p *process) start(order []byte, reports *os.File) error {
	if _, err := p.orders.Write(order); err != nil {
		return fmt.Errorf("send the order to the keeper: %w", err)
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
	switch r.Kind {
	case keeper.Failed:
		return fmt.Errorf("%s: %w", Program(), syscall.Errno(r.Value))
	case keeper.Refused:
		return fmt.Errorf("%w: %w", ErrSandbox, sandbox.Unpack(r.Value))
	case keeper.Unstored:
		return fmt.Errorf("%w: %s", ErrUnkept, reportText(r, reports))
	}
	p.group = int(r.Value)
	return nil
}

// listen handles the reports of the keeper and waits for it.
func (p *process) listen(reports *os.File) {
	defer close(p.done)
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
		case keeper.Turned:
			p.turned <- struct{}{}
		case keeper.Touched:
			p.kept.Touched = int(r.Value)
		case keeper.Unwatched:
			p.kept.Problem = reportText(r, reports)
		case keeper.Unkept:
			path, why, _ := strings.Cut(reportText(r, reports), "\x00")
			p.kept.Refused = &Refused{Path: path, Why: why}
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
		p.killOrphans(p.keeper.Process.Pid)
	}
	p.keeper.Wait()
	if p.status == nil {
		close(p.exited)
	}
}

// reportText returns the text of a report.
func reportText(r keeper.Report, reports *os.File) string {
	b := make([]byte, r.Value)
	n, _ := io.ReadFull(reports, b) // less if the keeper was killed
	return string(b[:n])
}

// newTurn makes the keeper keep the files again that the command changes. It waits until
// the keeper has begun, or all processes have ended.
func (p *process) newTurn() {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.send(keeper.NewTurn)
	select {
	case <-p.turned:
	case <-p.done:
	}
}

// terminate asks all processes to end.
func (p *process) terminate() { p.send(keeper.Terminate) }

// kill kills all processes.
func (p *process) kill() { p.send(keeper.Kill) }

func (p *process) send(order byte) {
	_, _ = p.orders.Write([]byte{order}) // fails if the keeper has exited
	_ = p.keeper.Process.Signal(syscall.SIGCONT)
}

// abandon kills the keeper, for processes that kill cannot end because they hang
// in the kernel.
func (p *process) abandon() { _ = p.keeper.Process.Kill() }

// listeners returns the TCP ports of servers in the network of the shell.
func (p *process) listeners() []uint16 {
	if p.group == 0 {
		return nil
	}
	return sandbox.Listeners(p.group)
}

// exitStatus returns the exit code of the shell, or -1, and a description.
func (p *process) exitStatus() (code int, words string) {
	select {
	case <-p.exited:
	default:
		return -1, "cannot be killed"
	}
	switch {
	case p.status == nil:
		return -1, "ended because its supervisor was killed"
	case p.status.Signaled():
		return -1, "killed by " + unix.SignalName(p.status.Signal())
	}
	code = p.status.ExitStatus()
	words = fmt.Sprintf("exit %d", code)
	if name := unix.SignalName(syscall.Signal(code - 128)); code > 128 && name != "" {
		words += " (128 + " + name + ")" // the shell reports a killed child this way
	}
	return code, words
}
