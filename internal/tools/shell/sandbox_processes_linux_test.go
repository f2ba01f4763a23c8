package shell_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/sandbox"
)

// tryProcesses prints the errors of system calls that change limits, priorities and
// processors: of the process with the ID that arg holds, of this process in several ways,
// and of a child.
func tryProcesses(arg string) {
	other, _ := strconv.Atoi(arg)
	runtime.LockOSThread()
	self, err := os.Executable()
	child := exec.Command(self)
	child.Env = []string{probeVariable + "=hold"}
	input, e := child.StdinPipe()
	if err == nil && e == nil {
		err = child.Start()
	}
	if err != nil || e != nil {
		fmt.Println(err, e)
		return
	}
	defer child.Wait()
	defer input.Close()
	for _, to := range []struct {
		name string
		id   int
	}{{"outside", other}, {"zero", 0}, {"process", os.Getpid()}, {"thread", unix.Gettid()}, {"child", child.Process.Pid}} {
		fmt.Println(to.name + ":" + tryProcess(to.id))
	}
	_, _, user := unix.RawSyscall(unix.SYS_SETPRIORITY, unix.PRIO_USER, 0, 19)
	const ioUser, ioIdle = 3, 3 << 13
	_, _, io := unix.RawSyscall(unix.SYS_IOPRIO_SET, ioUser, 0, ioIdle)
	fmt.Println("user:", unix.ErrnoName(user), unix.ErrnoName(io))
}

// tryProcess returns the names of the system calls that fail with EPERM for a process.
func tryProcess(id int) (refused string) {
	var limit unix.Rlimit
	_ = unix.Getrlimit(unix.RLIMIT_CORE, &limit)
	_, _, limits := unix.RawSyscall6(unix.SYS_PRLIMIT64, uintptr(id), unix.RLIMIT_CORE, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	var cpus unix.CPUSet
	_ = unix.SchedGetaffinity(0, &cpus)
	var priority int32
	at := uintptr(unsafe.Pointer(&priority))
	_, _, policy := unix.RawSyscall(unix.SYS_SCHED_SETSCHEDULER, uintptr(id), 0, at)
	_, _, param := unix.RawSyscall(unix.SYS_SCHED_SETPARAM, uintptr(id), at, 0)
	const ioProcess, ioBest = 1, 2 << 13
	_, _, io := unix.RawSyscall(unix.SYS_IOPRIO_SET, ioProcess, uintptr(id), ioBest)
	for _, c := range []struct {
		name string
		err  error
	}{
		{"prlimit", limits}, {"affinity", unix.SchedSetaffinity(id, &cpus)}, {"scheduler", policy}, {"parameters", param},
		{"attributes", unix.SchedSetAttr(id, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Nice: 1}, 0)},
		{"priority", unix.Setpriority(unix.PRIO_PROCESS, id, 1)}, {"io", io},
	} {
		if c.err == unix.EPERM {
			refused += " " + c.name
		}
	}
	return refused
}

// A command changes only the processes of its session, and limits only of itself.
func TestSandboxLeavesOtherProcessesAlone(t *testing.T) {
	if r := sandbox.Probe(); r.Form == sandbox.None {
		t.Skip(r.Reason)
	}
	other := exec.Command("/bin/sleep", "600")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer other.Wait()
	defer other.Process.Kill()
	const all = " prlimit affinity scheduler parameters attributes priority io"
	for _, form := range []sandbox.Form{sandbox.WritesOnly, sandbox.Complete} {
		t.Run(form.String(), func(t *testing.T) {
			c := confineAs(t, form)
			if form == sandbox.Complete {
				c = confine(t)
			}
			got := c.probe("processes " + strconv.Itoa(other.Process.Pid))
			same(t, got, "outside:"+all+"\nzero:\nprocess:\nthread:\nchild: prlimit\nuser: EPERM EPERM\n")
			r := c.run(`ulimit -c 0 && ulimit -n 64 && nice -n 3 sh -c 'nice; ulimit -n'`)
			if !strings.HasSuffix(r.Output, "\n64\n") || r.Code != 0 {
				t.Errorf("%d %s", r.Code, r.Output)
			}
		})
	}
}
