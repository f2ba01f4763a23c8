package shell

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// self is this program, even where its file has been replaced since.
func self() (string, error) { return "/proc/self/exe", nil }

// salvage kills what it can find of a command that has lost its keeper: all in
// the keeper's session. What has left it is out of reach.
func (p *process) salvage(session int) {
	// They may fork while we look. The bound is for those that cannot be killed.
	for range 10 {
		fds := members(session)
		for _, fd := range fds {
			_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		}
		for _, fd := range fds {
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 250)
			unix.Close(fd)
		}
		if fds == nil {
			return
		}
	}
}

// members returns a descriptor for each living process of a session. A
// descriptor, unlike a number, never comes to mean another process.
func members(session int) (fds []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !belongs(pid, session) {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if !belongs(pid, session) { // the number may be another's by now
			unix.Close(fd)
			continue
		}
		fds = append(fds, fd)
	}
	return fds
}

// belongs reports whether a process is alive and in a session.
func belongs(pid, session int) bool {
	if s, err := unix.Getsid(pid); err != nil || s != session {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return err == nil && len(f) > 0 && string(f[0]) != "Z"
}
