//go:build amd64 || arm64

package sandbox

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// ofProcesses returns the rules for system calls that change the limits, the priority or
// the processors of any process of the user, which Landlock does not prevent. The listener
// decides about processes that are named by ID; without one they are refused. The ID 0
// stands for the process that makes the call.
func ofProcesses(listen bool) (rules []rule) {
	action := refuse(unix.EPERM)
	if listen {
		action = unix.SECCOMP_RET_USER_NOTIF
	}
	for _, number := range []uintptr{
		unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
	} {
		rules = append(rules, rule{number: number, others: []uint32{0}, action: action})
	}
	const ioProcess = 1 // IOPRIO_WHO_PROCESS
	for _, c := range []struct {
		number uintptr
		kind   uint32
	}{{unix.SYS_SETPRIORITY, unix.PRIO_PROCESS}, {unix.SYS_IOPRIO_SET, ioProcess}} {
		rules = append(rules,
			// Not those of a process group or a user.
			rule{number: c.number, others: []uint32{c.kind}, action: refuse(unix.EPERM)},
			rule{number: c.number, arg: 1, others: []uint32{0}, action: action})
	}
	return rules
}

// answerProcess decides about a call of ofProcesses. It reports false for other calls.
func (l *Listener) answerProcess(n *Notification) bool {
	arg, limits := 0, false
	switch n.Number {
	case unix.SYS_PRLIMIT64:
		limits = true
	case unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR:
	case unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET:
		arg = 1
	default:
		return false
	}
	id := uint32(n.Args[arg])
	// Another process could end before the call happens, and a new one outside the sandbox
	// have its ID. That is harmless except for limits, which can end a program.
	if id == n.Thread || int(id) == n.process() || !limits && l.gate.confines("/proc/"+strconv.Itoa(int(id))) {
		l.Continue(n)
	} else {
		l.Refuse(n)
	}
	return true
}
