package sandbox

import (
	"errors"
	"os/exec"
	"path/filepath"
	"syscall"
)

// program is the command that applies a profile on macOS.
const program = "/usr/bin/sandbox-exec"

// Probe runs a trial command with sandbox-exec.
func Probe() Report {
	out, err := exec.Command(program, "-p", seatbelt(nil, false), "/bin/sh", "-c", ": >/dev/null").CombinedOutput()
	if err != nil {
		return Report{Reason: "sandbox-exec does not work: " + err.Error() + " " + string(out)}
	}
	return Report{Form: Seatbelt, Reason: "on macOS the sandbox is untested"}
}

// Command is a command to start in the current directory.
type Command struct {
	Args         []string // path of the program, and its arguments
	Env          []string
	Input        int    // descriptors; they are closed in the command, which gets copies
	Output       int    // standard output
	Errors       int    // standard error
	Cgroup       int    // unused
	User, Net    int    // unused
	IPC, Mounts  int    // unused
	Listen       bool   // unused
	Held         []Held // unused
	NoAttributes bool   // unused
}

// Start starts a command with the words of Profile.Order, as the leader of a
// process group. It is untested.
func Start(words []string, c Command) (pid int, l *Listener, err error) {
	p, err := parse(words)
	if err != nil {
		return 0, nil, err
	}
	paths := map[string]access{}
	for path, a := range p.paths {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			paths[real] = max(paths[real], a)
		}
	}
	args := append([]string{program, "-p", seatbelt(paths, p.network)}, c.Args...)
	pid, err = syscall.ForkExec(program, args, &syscall.ProcAttr{
		Env:   c.Env,
		Files: []uintptr{uintptr(c.Input), uintptr(c.Output), uintptr(c.Errors)},
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	})
	return pid, nil, err
}

// Value packs an error of Start for a report of the supervisor.
func Value(err error) uint32 {
	var errno syscall.Errno
	errors.As(err, &errno)
	return uint32(errno)
}

// Unpack returns the error of a value.
func Unpack(v uint32) error { return syscall.Errno(v) }
