package shell

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/keeper"
)

// self is this program, even where its file has been replaced since.
func self() (string, error) { return "/proc/self/exe", nil }

// attributes give a keeper a session of its own. One that its command has
// stopped goes on when this program dies, to see to its duty.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGCONT}
}

// salvage kills what it can find of a command that has lost its keeper: all in
// the keeper's session, and in its fence where there is one. What has left the
// session is out of reach elsewhere.
func (p *process) salvage(session int) {
	fence := keeper.Fence(session)
	if fence != "" {
		_ = os.WriteFile(fence+"/pids.max", []byte("0"), 0) // so that they do not fork any more
	}
	// They may fork while we look. The bound is for those that cannot be killed.
	for range 10 {
		fds := members(session, fence)
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
	if fence != "" {
		_ = unix.Rmdir(fence)
	}
}

// members returns a descriptor for each living process of a session or a fence.
// A descriptor, unlike a number, never comes to mean another process.
func members(session int, fence string) (fds []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !belongs(pid, session, fence) {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if !belongs(pid, session, fence) { // the number may be another's by now
			unix.Close(fd)
			continue
		}
		fds = append(fds, fd)
	}
	return fds
}

// belongs reports whether a process is alive, and in a session or a fence.
func belongs(pid, session int, fence string) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	if s, err := unix.Getsid(pid); err != nil || s != session {
		groups, err := os.ReadFile(proc + "/cgroup")
		if fence == "" || err != nil || !bytes.Contains(groups, []byte("/"+filepath.Base(fence)+"\n")) {
			return false
		}
	}
	stat, err := os.ReadFile(proc + "/stat")
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return err == nil && len(f) > 0 && string(f[0]) != "Z"
}
