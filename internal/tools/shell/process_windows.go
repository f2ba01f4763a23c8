package shell

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// argv is how a line is run: by PowerShell where there is one.
func argv(line string) []string {
	if ps, err := exec.LookPath("powershell"); err == nil {
		return []string{ps, "-NoProfile", "-NonInteractive", "-Command", line}
	}
	return []string{"cmd", "/C", line}
}

// detach keeps the command from our console's signals.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// terminate ends a process and its descendants. There is no polite way here.
func terminate(pid int) {
	exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run()
}

// sweep ends what is left of a command, as far as it can still be found.
func sweep(pid int, _ string) (found bool) {
	terminate(pid)
	return false
}

// ended says how a process ended.
func ended(s *os.ProcessState) (code int, words string) {
	return s.ExitCode(), fmt.Sprintf("exit %d", s.ExitCode())
}
