package supervisor

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// Constants that package syscall lacks.
const (
	setChildSubreaper = 36        // PR_SET_CHILD_SUBREAPER
	all               = 0         // P_ALL
	noReap            = 0x1000000 // WNOWAIT
)

// becomeSubreaper makes orphaned descendants children of this process.
func becomeSubreaper() { syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0) }

// attributes start the command as a process group that dies with the supervisor.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// wait waits until a child has exited, then takes s.mu and reaps one child. k.mu
// is held on return.
func (s *supervisor) wait() (pid int, status syscall.WaitStatus, err error) {
	var info [128]byte // siginfo_t
	errno := syscall.EINTR
	for errno == syscall.EINTR {
		_, _, errno = syscall.Syscall6(syscall.SYS_WAITID, all, 0, uintptr(unsafe.Pointer(&info)), syscall.WEXITED|noReap, 0, 0)
	}
	s.mu.Lock()
	pid, err = syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
	return pid, status, err
}

// children returns the IDs of our children. The command is a child of the thread
// that started it; orphans are children of any thread.
func children() []int { return childrenOf(os.Getpid()) }

// descendants returns the IDs of all processes of the command.
func descendants() []int {
	found := children()
	for i := 0; i < len(found); i++ {
		found = append(found, childrenOf(found[i])...)
	}
	return found
}

// childrenOf returns the IDs of the children of a process.
func childrenOf(parent int) (found []int) {
	dir := "/proc/" + strconv.Itoa(parent) + "/task/"
	threads, _ := os.ReadDir(dir)
	for _, thread := range threads {
		text, err := os.ReadFile(dir + thread.Name() + "/children")
		if errors.Is(err, os.ErrNotExist) && thread.Name() == strconv.Itoa(parent) {
			return scanChildren(thread.Name())
		}
		for word := range bytes.FieldsSeq(text) {
			if pid, err := strconv.Atoi(string(word)); err == nil {
				found = append(found, pid)
			}
		}
	}
	return found
}

// scanChildren finds children in /proc, for kernels without lists of children.
func scanChildren(parent string) (found []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		// The process name may contain any character, so cut after the last bracket.
		stat, _ := os.ReadFile("/proc/" + e.Name() + "/stat")
		if f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]); len(f) > 1 && string(f[1]) == parent {
			found = append(found, pid)
		}
	}
	return found
}

// groupAlive returns false: on Linux all processes of the group would be our
// children.
func groupAlive(int) bool { return false }
