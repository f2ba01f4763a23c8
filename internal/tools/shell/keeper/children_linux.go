package keeper

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// Numbers of the system's that package syscall has no names for.
const (
	setChildSubreaper = 36        // PR_SET_CHILD_SUBREAPER
	all               = 0         // P_ALL
	dontBury          = 0x1000000 // WNOWAIT
)

// adopt makes the processes ours that lose their parent among our descendants.
func adopt() { syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0) }

// attributes make the command a process group, which dies if we are killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// wait waits until a child has ended, and buries one. It returns with k.mu held,
// and takes it between the two.
func (k *keeper) wait() (pid int, status syscall.WaitStatus, err error) {
	var info [128]byte // siginfo_t
	errno := syscall.EINTR
	for errno == syscall.EINTR {
		_, _, errno = syscall.Syscall6(syscall.SYS_WAITID, all, 0, uintptr(unsafe.Pointer(&info)), syscall.WEXITED|dontBury, 0, 0)
	}
	k.mu.Lock()
	pid, err = syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
	return pid, status, err
}

// children returns the numbers of our children: the command is a child of the
// thread that started it, and orphans are children of any.
func children() (found []int) {
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		text, err := os.ReadFile("/proc/self/task/" + thread.Name() + "/children")
		if errors.Is(err, os.ErrNotExist) && thread.Name() == strconv.Itoa(os.Getpid()) {
			return search(thread.Name())
		}
		for word := range bytes.FieldsSeq(text) {
			if pid, err := strconv.Atoi(string(word)); err == nil {
				found = append(found, pid)
			}
		}
	}
	return found
}

// search finds our children among all processes, on a kernel that has no list
// of them.
func search(parent string) (found []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		// The name in it may hold anything, so its end is the last bracket.
		stat, _ := os.ReadFile("/proc/" + e.Name() + "/stat")
		if f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]); len(f) > 1 && string(f[1]) == parent {
			found = append(found, pid)
		}
	}
	return found
}

// remains reports whether the group lives on though all our children are dead.
// It cannot: its processes would be our children.
func remains(int) bool { return false }
