package shell

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// Program is what runs commands.
func Program() string { return "cmd" }

// command returns a line as it is to be run: by cmd, apart from our console's
// signals. The command line is put together here, because cmd does not
// understand quotes as other programs do.
func command(line string) *exec.Cmd {
	cmd := exec.Command(Program())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CmdLine:       `cmd /S /C "` + line + `"`,
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP,
		HideWindow:    true,
	}
	return cmd
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
