package shell

import (
	"bytes"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// ending is how many milliseconds a process has that is about to end by
// itself: one whose output has ended may not be dead yet.
const ending = 50

// sweep kills whatever is left of a command: its process group, and wherever
// they have gone, all who have inherited its ID. It returns when they are dead,
// and reports whether there were any that did not end by themselves.
func sweep(pgid int, id string) (found bool) {
	// They may fork while we look, so look until there are none. The bound is
	// for those that cannot be killed.
	for round := range 10 {
		fds, passing := remains(pgid, id)
		seen := passing || len(fds) > 0
		if round == 0 {
			fds = slices.DeleteFunc(fds, func(fd int) bool {
				gone := dead(fd, ending)
				if gone {
					unix.Close(fd)
				}
				return gone
			})
		}
		unix.Kill(-pgid, unix.SIGKILL)
		if !seen {
			break // not merely gone by now: whoever has gone may have forked first
		}
		found = found || len(fds) > 0
		for _, fd := range fds {
			unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		}
		for _, fd := range fds {
			dead(fd, 250)
			unix.Close(fd)
		}
	}
	return found
}

// remains returns a descriptor for each living process of a command. A
// descriptor, unlike a number, never comes to mean another process. Passing says
// that there was one which has ended by now.
func remains(pgid int, id string) (fds []int, passing bool) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil, false
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || !belongs(pid, pgid, id) {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			passing = true
			continue
		}
		if dead(fd, 0) || !belongs(pid, pgid, id) { // the number may be another's by now
			unix.Close(fd)
			passing = true
			continue
		}
		fds = append(fds, fd)
	}
	return fds, passing
}

// belongs reports whether a process is in the group or has id in its
// environment. That of other people's processes cannot be read.
func belongs(pid, pgid int, id string) bool {
	if group, err := unix.Getpgid(pid); err != nil || group == pgid {
		return err == nil
	}
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(env, []byte(id))
}

// dead reports whether a process has ended, and waits for it so many
// milliseconds.
func dead(fd, wait int) bool {
	n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, wait)
	return n > 0
}
