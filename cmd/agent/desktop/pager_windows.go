package desktop

import (
	"os/exec"
	"strings"
)

// pagerCommand returns the command of $PAGER, a program and its arguments.
func pagerCommand(line string) *exec.Cmd {
	words := strings.Fields(line)
	return exec.Command(words[0], words[1:]...)
}
