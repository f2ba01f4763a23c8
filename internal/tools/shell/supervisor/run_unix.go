//go:build unix

package supervisor

import (
	"encoding/binary"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/sandbox"
)

// Run turns this process into a supervisor if it was started as one, and then does
// not return. It opens the store of an Order.Snapshot with open, which may be nil if there
// are none. Package dispatch calls it.
func Run(open Open) {
	dispatched = true
	var s syscall.Stat_t
	if len(os.Args) != 1 || os.Args[0] != Name || syscall.Fstat(Orders, &s) != nil || s.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return
	}
	runtime.LockOSThread() // the thread that starts the command must not exit: see attributes and newCgroup
	supervise(open)
	syscall.Exit(0) // os.Exit takes a second under the race detector
}

// supervise runs one command and returns when all its processes are dead.
func supervise(open Open) {
	closeOnExec()
	o, ok := readOrder()
	if !ok {
		return
	}
	w, err := newWatch(o.Snapshot, open)
	if err != nil {
		reportText(StoreFailed, err.Error())
		return
	}
	if abandoned() {
		return // nobody waits for a command that starts now
	}
	becomeSubreaper()
	resetIgnoredSignals()
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // no core files in the workspace
	sys := attributes()
	f := newCgroup(o.Processes, sys)
	defer f.remove()
	pid, err := w.start(o, sys)
	if err != nil && disableCgroup(sys) {
		pid, err = w.start(o, sys)
	}
	f.restoreThread()
	syscall.Close(Input)
	syscall.Close(Output)
	syscall.Close(Errors)
	switch {
	case err != nil && len(o.Sandbox) > 0:
		report(Refused, sandbox.Value(err))
		return
	case err != nil:
		errno, _ := err.(syscall.Errno)
		report(Failed, uint32(errno))
		return
	}
	report(Started, uint32(pid))
	w.serve()
	_ = syscall.Chdir("/")
	k := &supervisor{leader: pid, group: pid, cgroup: f, watch: w, signaled: map[int]bool{}, killed: make(chan struct{})}
	go k.handleOrders()
	for k.reap() {
	}
	if groupAlive(k.group) {
		<-k.killed
		k.left = true
	}
	k.turn.Lock() // what a turn that is beginning keeps must not be lost
	w.report()
	if k.left {
		report(KilledRest, 0)
	}
	report(Done, 0)
}

// resetIgnoredSignals gives the command the default action for signals that this
// process inherited as ignored, as from a parent without job control. Signals
// that a Go program handles are reset in its children, ignored ones are not.
// SIGHUP stays ignored under nohup.
func resetIgnoredSignals() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU)
}

// closeOnExec marks every open descriptor from Orders up close-on-exec, so that
// the command does not inherit it.
func closeOnExec() {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		for fd := Orders; fd < 1024; fd++ {
			syscall.CloseOnExec(fd)
		}
	}
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= Orders {
			syscall.CloseOnExec(fd)
		}
	}
}

// readOrder reads the order.
func readOrder() (Order, bool) {
	size := make([]byte, 4)
	if !readFull(size) {
		return Order{}, false
	}
	b := make([]byte, binary.BigEndian.Uint32(size))
	if !readFull(b) {
		return Order{}, false
	}
	return decode(b), true
}

// abandoned reports whether the program has died.
func abandoned() bool {
	orders := []unix.PollFd{{Fd: Orders}}
	n, err := unix.Poll(orders, 0)
	return err == nil && n > 0 && orders[0].Revents&unix.POLLHUP != 0
}

// readFull reads exactly len(b) bytes.
func readFull(b []byte) bool {
	for len(b) > 0 {
		n, err := syscall.Read(Orders, b)
		switch {
		case err == syscall.EINTR:
		case err != nil || n == 0:
			return false
		default:
			b = b[n:]
		}
	}
	return true
}

// report sends a report, if the program still exists.
func report(kind byte, value uint32) {
	_, _ = syscall.Write(Reports, Report{kind, value}.Encode())
}

// reportText sends a report with a text, in one write that cannot mix with others.
func reportText(kind byte, text string) {
	text = text[max(0, len(text)-maxText):]
	_, _ = syscall.Write(Reports, append(Report{kind, uint32(len(text))}.Encode(), text...))
}

// maxText is the longest text of a report. Its end is sent if it is longer.
const maxText = 4096 - Size

// supervisor is the state of this process.
type supervisor struct {
	watch  *watching
	group  int // process group of the command
	cgroup *cgroup
	turn   sync.Mutex // held while a turn begins

	mu            sync.Mutex // held while children are reaped and listed
	leader        int        // ID of the shell; 0 after it was reaped
	terminating   bool       // SIGTERM was sent
	groupSignaled bool       // SIGTERM was sent to the whole group
	signaled      map[int]bool
	killing       bool
	killed        chan struct{} // closed when killing begins
	left          bool          // processes were killed after the shell had exited
}

// handleOrders executes orders until Orders is closed, then kills.
func (s *supervisor) handleOrders() {
	order := make([]byte, 1)
	for readFull(order) {
		if order[0] == NewTurn {
			s.turn.Lock()
			s.watch.newTurn()
			s.turn.Unlock()
			report(TurnStarted, 0)
			continue
		}
		s.mu.Lock()
		if order[0] == Terminate {
			s.terminate()
		} else {
			s.kill()
		}
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kill()
}

// reap waits for a child to exit and reaps all exited children. It returns false
// if no child is left. A process ID can be reused after reaping, so s.mu is held
// meanwhile.
func (s *supervisor) reap() bool {
	pid, status, err := s.wait()
	defer s.mu.Unlock()
	for pid > 0 || err == syscall.EINTR {
		if pid > 0 {
			s.reaped(pid, status)
		}
		pid, err = syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
	}
	// Children of the reaped processes are now children of the supervisor.
	switch {
	case err != nil:
		return false
	case s.killing:
		s.kill()
	case s.terminating:
		s.terminate()
	}
	return true
}

func (s *supervisor) reaped(pid int, status syscall.WaitStatus) {
	delete(s.signaled, pid)
	if pid == s.leader {
		s.leader = 0
		report(Exited, uint32(status))
		return
	}
	if s.killing && status.Signaled() && status.Signal() == syscall.SIGKILL {
		s.left = true
	}
}

// terminate sends SIGTERM to every process of the command once: first to the
// group, then to new children.
func (s *supervisor) terminate() {
	if !s.terminating && s.leader != 0 {
		s.groupSignaled = true
		_ = syscall.Kill(-s.group, syscall.SIGTERM)
	}
	s.terminating = true
	for _, pid := range children() {
		if group, _ := syscall.Getpgid(pid); s.signaled[pid] || s.groupSignaled && group == s.group {
			continue
		}
		s.signaled[pid] = true
		_ = syscall.Kill(pid, syscall.SIGTERM)
	}
}

// kill kills the group and all children. Grandchildren become children as their
// parents die, and reap kills them. It gives up when only processes of other
// users are left.
func (s *supervisor) kill() {
	if !s.killing {
		s.killing = true
		close(s.killed)
		s.cgroup.freeze()
	}
	if s.leader != 0 || groupAlive(s.group) {
		_ = syscall.Kill(-s.group, syscall.SIGKILL)
	}
	killed, foreign := 0, 0
	for _, pid := range children() {
		if syscall.Kill(pid, syscall.SIGKILL) == syscall.EPERM {
			foreign++
		} else {
			killed++
		}
	}
	if killed == 0 && foreign > 0 {
		s.watch.report()
		report(Unkillable, uint32(foreign))
		syscall.Exit(0)
	}
}
