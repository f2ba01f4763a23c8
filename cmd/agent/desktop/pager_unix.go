//go:build unix

package desktop

import "os/exec"

// pagerCommand returns the command of $PAGER. The shell parses line, as in git, so that
// arguments and quotes work.
func pagerCommand(line string) *exec.Cmd { return exec.Command("sh", "-c", line) }
