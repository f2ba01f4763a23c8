//go:build unix

package shell

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Program is what runs commands: bash where there is one.
func Program() string {
	if bash, err := exec.LookPath("bash"); err == nil {
		return bash
	}
	return "/bin/sh"
}

// command returns a line as it is to be run: by Program, in a session of its
// own, so without a terminal, and in a process group by which all of it is
// reached. The sh before it sees to it that a crash leaves no core file in the
// workspace; a process that is to look after the command would stand in its
// place.
func command(line string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", `ulimit -c 0; exec "$@"`, "sh", Program(), "-c", "--", line)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// terminate asks all of a process group to end.
func terminate(pgid int) { unix.Kill(-pgid, unix.SIGTERM) }

// ended says how a process ended.
func ended(s *os.ProcessState) (code int, words string) {
	status, ok := s.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return -1, "killed by " + unix.SignalName(status.Signal())
	}
	code = s.ExitCode()
	words = fmt.Sprintf("exit %d", code)
	if name := unix.SignalName(syscall.Signal(code - 128)); code > 128 && name != "" {
		words += " (128 + " + name + ")" // how a shell reports that a child was killed
	}
	return code, words
}
