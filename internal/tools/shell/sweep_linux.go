package shell

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// sweep kills whatever is left of a command: its process group, and wherever
// they have gone, all who have inherited its ID. It returns when they are dead,
// and reports whether there were any.
func sweep(pgid int, id string) (found bool) {
	// They may fork while we look, so look until there are none. The bound is
	// for those that cannot be killed.
	for range 10 {
		fds := descendants(id)
		unix.Kill(-pgid, unix.SIGKILL)
		if len(fds) == 0 {
			break
		}
		found = true
		for _, fd := range fds {
			unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		}
		for _, fd := range fds {
			awaitDeath(fd)
			unix.Close(fd)
		}
	}
	return found
}

// descendants returns a descriptor for each living process whose environment
// holds id. A descriptor, unlike a number, never comes to mean another process.
func descendants(id string) (fds []int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || !inherits(name, id) {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if !inherits(name, id) { // it was another one's number by then
			unix.Close(fd)
			continue
		}
		fds = append(fds, fd)
	}
	return fds
}

// inherits reports whether a process has id in its environment. The dead and
// those of other people have none that can be read.
func inherits(pid, id string) bool {
	env, err := os.ReadFile("/proc/" + pid + "/environ")
	return err == nil && bytes.Contains(env, []byte(id))
}

// awaitDeath waits for a process that was killed, a quarter of a second at most.
func awaitDeath(fd int) {
	unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 250)
}
