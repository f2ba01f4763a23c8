package supervisor

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// executable returns the running program, even if its file was replaced.
func executable() (string, error) { return "/proc/self/exe", nil }

// ownSession starts a supervisor in its own session. The death of this program
// continues a supervisor that its command has stopped.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGCONT}
}

// killOrphans kills the processes of a command whose supervisor was killed: those in
// the supervisor's session and in its control group. Others cannot be found.
func (p *Process) killOrphans(session int) {
	group := Fence(session)
	if group != "" {
		_ = os.WriteFile(group+"/pids.max", []byte("0"), 0) // prevents further forks
	}
	// Processes may fork meanwhile. The limit is for those that cannot be killed.
	for range 10 {
		fds := processes(session, group)
		for _, fd := range fds {
			_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		}
		for _, fd := range fds {
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 250)
			unix.Close(fd)
		}
		if fds == nil {
			break
		}
	}
	if group != "" {
		_ = unix.Rmdir(group)
	}
}

// processes returns a pidfd for each live process of a session or control group.
// Unlike a process ID, a pidfd never refers to another process.
func processes(session int, group string) (fds []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !isMember(pid, session, group) {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if !isMember(pid, session, group) { // the process ID may have been reused
			unix.Close(fd)
			continue
		}
		fds = append(fds, fd)
	}
	return fds
}

// isMember reports whether a process is alive and in a session or control group.
func isMember(pid, session int, group string) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	if s, err := unix.Getsid(pid); err != nil || s != session {
		groups, err := os.ReadFile(proc + "/cgroup")
		if group == "" || err != nil || !bytes.Contains(groups, []byte("/"+filepath.Base(group)+"\n")) {
			return false
		}
	}
	stat, err := os.ReadFile(proc + "/stat")
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return err == nil && len(f) > 0 && string(f[0]) != "Z"
}
