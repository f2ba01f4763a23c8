//go:build unix

package supervisor

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

	"agent/internal/tools/shell/sandbox"
)

// Process is a command and its supervisor. The fields that are not documented otherwise do not
// change.
type Process struct {
	Group int // process ID of the command and ID of its process group; 0 if unknown

	Exited chan struct{} // closed when the command has exited; its descendants may be alive
	Done   chan struct{} // closed when all processes and the supervisor have exited

	Status *syscall.WaitStatus // of the command, after Exited is closed; nil if unknown
	Files  Files               // after Done is closed
	Left   bool                // after Done is closed: processes outlived the command and were killed
	Lost   bool                // after Done is closed: processes may be left

	supervisor *exec.Cmd
	orders     *os.File
	turn       sync.Mutex    // held while a new turn begins
	turned     chan struct{} // has a token when a new turn has begun
}

// Streams are the standard streams of a command. The caller closes them after Start.
type Streams struct{ Input, Output, Errors *os.File }

// Start starts a supervisor in a directory and sends it the order. The command of the order
// runs in sandbox p; nil means without a sandbox. An error means that the command does not
// run.
func Start(o Order, p *sandbox.Profile, dir string, s Streams) (*Process, error) {
	if !dispatched {
		return nil, errors.New("this program cannot start commands: main does not call supervisor.Run")
	}
	var namespaces []*os.File
	if p != nil {
		words, n, err := p.Order()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSandbox, err)
		}
		o.Sandbox, o.Env = words, p.Environment(o.Env)
		namespaces = []*os.File{n.User, n.Net, n.IPC, n.Mounts} // nil ones are closed there
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
	started := &Process{orders: orders, turned: make(chan struct{}, 1), Exited: make(chan struct{}), Done: make(chan struct{})}
	started.supervisor = &exec.Cmd{
		Path: path, Args: []string{Name},
		Dir: dir, Env: []string{}, // the command can read its parent's environment
		ExtraFiles:  append([]*os.File{theirs, w, s.Input, s.Output, s.Errors}, namespaces...),
		SysProcAttr: ownSession(),
	}
	if err := started.supervisor.Start(); err != nil {
		orders.Close()
		reports.Close()
		return nil, err
	}
	theirs.Close() // so that the exit of the supervisor closes both pipes
	w.Close()
	if err := started.begin(o.Args[0], encoded, reports); err != nil {
		orders.Close()
		reports.Close()
		started.supervisor.Wait()
		return nil, err
	}
	go started.listen(reports)
	return started, nil
}

// begin sends the order and waits until the program has started. The command may
// already have stopped the supervisor, which is then continued, or killed it, which
// listen handles.
func (p *Process) begin(program string, order []byte, reports *os.File) error {
	if _, err := p.orders.Write(order); err != nil {
		return fmt.Errorf("send the order to the supervisor: %w", err)
	}
	b := make([]byte, Size)
	err := os.ErrDeadlineExceeded
	for errors.Is(err, os.ErrDeadlineExceeded) {
		_ = p.supervisor.Process.Signal(syscall.SIGCONT)
		_ = reports.SetReadDeadline(time.Now().Add(time.Second))
		_, err = io.ReadFull(reports, b)
	}
	_ = reports.SetReadDeadline(time.Time{})
	if err != nil {
		return nil
	}
	r := Decode(b)
	switch r.Kind {
	case Failed:
		return fmt.Errorf("%s: %w", program, syscall.Errno(r.Value))
	case Refused:
		return fmt.Errorf("%w: %w", ErrSandbox, sandbox.Unpack(r.Value))
	case StoreFailed:
		return fmt.Errorf("%w: %s", ErrStoreFailed, readText(r, reports))
	}
	p.Group = int(r.Value)
	return nil
}

// listen handles the reports of the supervisor and waits for it.
func (p *Process) listen(reports *os.File) {
	defer close(p.Done)
	lost, beyond := true, false
	for b := make([]byte, Size); ; {
		if _, err := io.ReadFull(reports, b); err != nil {
			break
		}
		switch r := Decode(b); r.Kind {
		case Exited:
			status := syscall.WaitStatus(r.Value)
			p.Status = &status
			close(p.Exited)
		case TurnStarted:
			p.turned <- struct{}{}
		case Touched:
			p.Files.Touched = int(r.Value)
		case NotRecorded:
			p.Files.Problem = readText(r, reports)
		case ChangeRefused:
			path, why, _ := strings.Cut(readText(r, reports), "\x00")
			p.Files.Refused = &Change{Path: path, Why: why}
		case Protected:
			p.Files.Protected = append(p.Files.Protected, readText(r, reports))
		case Settings:
			path, names, _ := strings.Cut(readText(r, reports), "\x00")
			p.Files.Settings = append(p.Files.Settings, Change{Path: path, Why: names})
		case Created:
			p.Files.Created = append(p.Files.Created, readText(r, reports))
		case Attempted:
			p.Files.Attempts = append(p.Files.Attempts, parseAttempt(readText(r, reports)))
		case Attempts:
			p.Files.Seen = AttemptKinds(r.Value)
		case Made:
			p.Files.Made = append(p.Files.Made, readText(r, reports))
		case Planted:
			p.Files.Planted = append(p.Files.Planted, readText(r, reports))
		case KilledRest:
			p.Left = true
		case Done:
			lost = false
		case Unkillable:
			beyond = true
		}
	}
	reports.Close()
	p.orders.Close()
	p.Lost = lost
	if lost && !beyond {
		p.killOrphans(p.supervisor.Process.Pid)
	}
	p.supervisor.Wait()
	if p.Status == nil {
		close(p.Exited)
	}
}

// readText returns the text of a report.
func readText(r Report, reports *os.File) string {
	b := make([]byte, r.Value)
	n, _ := io.ReadFull(reports, b) // less if the supervisor was killed
	return string(b[:n])
}

// NewTurn makes the supervisor keep the files again that the command changes. It waits until
// the supervisor has begun, or all processes have ended.
func (p *Process) NewTurn() {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.send(NewTurn)
	select {
	case <-p.turned:
	case <-p.Done:
	}
}

// Terminate sends SIGTERM to all processes of the command.
func (p *Process) Terminate() { p.send(Terminate) }

// Kill kills all processes of the command.
func (p *Process) Kill() { p.send(Kill) }

func (p *Process) send(order byte) {
	_, _ = p.orders.Write([]byte{order}) // fails if the supervisor has exited
	_ = p.supervisor.Process.Signal(syscall.SIGCONT)
}

// Abandon kills the supervisor, for processes that Kill cannot end because they hang
// in the kernel.
func (p *Process) Abandon() { _ = p.supervisor.Process.Kill() }

// ID returns the process ID of the supervisor. On Linux, all processes of the command are its
// descendants.
func (p *Process) ID() int { return p.supervisor.Process.Pid }

// ExitStatus returns the exit code of the command and a description. The code is -1 if a
// signal ended it or it has not exited.
func (p *Process) ExitStatus() (code int, words string) {
	select {
	case <-p.Exited:
	default:
		return -1, "cannot be killed"
	}
	switch {
	case p.Status == nil:
		return -1, "ended because its supervisor was killed"
	case p.Status.Signaled():
		return -1, "killed by " + unix.SignalName(p.Status.Signal())
	}
	return p.Status.ExitStatus(), fmt.Sprintf("exit %d", p.Status.ExitStatus())
}
