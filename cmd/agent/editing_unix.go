//go:build unix

package main

import "os/exec"

// editing runs an editor on a file. Its line is the shell's, as git has it:
// "code --wait" works, and so do quotes.
func editing(line, path string) *exec.Cmd {
	return exec.Command("sh", "-c", line+` "$@"`, "sh", path)
}
