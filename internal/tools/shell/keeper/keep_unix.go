//go:build unix

package keeper

import (
	"encoding/binary"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
)

// Run makes this process a keeper if it was started as one, and does not return
// then. Package dispatch calls it.
func Run() {
	dispatched = true
	var s syscall.Stat_t
	if len(os.Args) != 1 || os.Args[0] != Name || syscall.Fstat(Orders, &s) != nil || s.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return
	}
	runtime.LockOSThread() // the command is born of this thread, and dies with it: see attributes and enclose
	keep()
	syscall.Exit(0) // not of os: under the race detector that stays for a second
}

// keep runs one command and returns when all of it is dead.
func keep() {
	shut()
	o, ok := receive()
	if !ok {
		return
	}
	adopt()
	resetIgnoredSignals()
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // a crash leaves no file in the workspace
	attr := &syscall.ProcAttr{Env: o.Env, Files: []uintptr{Input, Output, Output}, Sys: attributes()}
	f := enclose(o.Processes, attr.Sys)
	defer f.remove()
	pid, err := syscall.ForkExec(o.Args[0], o.Args, attr)
	if err != nil && forgo(attr.Sys) {
		pid, err = syscall.ForkExec(o.Args[0], o.Args, attr)
	}
	f.leave()
	syscall.Close(Input)
	syscall.Close(Output)
	if err != nil {
		errno, _ := err.(syscall.Errno)
		report(Failed, uint32(errno))
		return
	}
	report(Started, uint32(pid))
	_ = syscall.Chdir("/")
	k := &keeper{leader: pid, group: pid, fence: f, told: map[int]bool{}, killed: make(chan struct{})}
	go k.obey()
	for k.bury() {
	}
	if remains(k.group) {
		<-k.killed
		k.left = true
	}
	if k.left {
		report(Left, 0)
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

// shut keeps the descriptors of this process, and what this program was itself
// started with, from the command.
func shut() {
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

// receive reads the order.
func receive() (Order, bool) {
	size := make([]byte, 4)
	if !fill(size) {
		return Order{}, false
	}
	b := make([]byte, binary.BigEndian.Uint32(size))
	if !fill(b) {
		return Order{}, false
	}
	return decode(b), true
}

// fill reads exactly b.
func fill(b []byte) bool {
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

// report tells the program, if it is still there.
func report(kind byte, value uint32) {
	_, _ = syscall.Write(Reports, Report{kind, value}.Encode())
}

// keeper is the state of this process.
type keeper struct {
	group int // the process group that the command began as
	fence *fence

	mu       sync.Mutex // held while children are buried, and while they are looked for
	leader   int        // the first process; 0 once it is buried
	asked    bool       // to end
	askedAll bool       // the whole group was, at once
	told     map[int]bool
	killing  bool
	killed   chan struct{} // closed when killing begins
	left     bool          // some died of being killed, after the first had ended
}

// obey does what the program says.
func (k *keeper) obey() {
	order := make([]byte, 1)
	for fill(order) {
		k.mu.Lock()
		if order[0] == Terminate {
			k.terminate()
		} else {
			k.kill()
		}
		k.mu.Unlock()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kill()
}

// bury waits until a child has ended, and buries all that have. It returns false
// when there are none left. A number may mean another process from there on, so
// nobody looks at numbers meanwhile.
func (k *keeper) bury() bool {
	pid, status, err := k.wait()
	defer k.mu.Unlock()
	for pid > 0 || err == syscall.EINTR {
		if pid > 0 {
			k.buried(pid, status)
		}
		pid, err = syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
	}
	// Their children are ours now.
	switch {
	case err != nil:
		return false
	case k.killing:
		k.kill()
	case k.asked:
		k.terminate()
	}
	return true
}

func (k *keeper) buried(pid int, status syscall.WaitStatus) {
	delete(k.told, pid)
	if pid == k.leader {
		k.leader = 0
		report(Exited, uint32(status))
		return
	}
	if k.killing && status.Signaled() && status.Signal() == syscall.SIGKILL {
		k.left = true
	}
}

// terminate asks all of the command to end, each process once: first the group,
// then whoever becomes a child by the death of another.
func (k *keeper) terminate() {
	if !k.asked && k.leader != 0 {
		k.askedAll = true
		_ = syscall.Kill(-k.group, syscall.SIGTERM)
	}
	k.asked = true
	for _, pid := range children() {
		if group, _ := syscall.Getpgid(pid); k.told[pid] || k.askedAll && group == k.group {
			continue
		}
		k.told[pid] = true
		_ = syscall.Kill(pid, syscall.SIGTERM)
	}
}

// kill kills the group and all children. Theirs become ours as they die, and
// bury kills those. It gives up when there are only such as are not ours to kill.
func (k *keeper) kill() {
	if !k.killing {
		k.killing = true
		close(k.killed)
		k.fence.shut()
	}
	if k.leader != 0 || remains(k.group) {
		_ = syscall.Kill(-k.group, syscall.SIGKILL)
	}
	mine, others := 0, 0
	for _, pid := range children() {
		if syscall.Kill(pid, syscall.SIGKILL) == syscall.EPERM {
			others++
		} else {
			mine++
		}
	}
	if mine == 0 && others > 0 {
		report(Beyond, uint32(others))
		syscall.Exit(0)
	}
}
