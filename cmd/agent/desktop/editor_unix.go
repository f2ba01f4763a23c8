//go:build unix

package desktop

import "os/exec"

// editorCommand returns the command that opens path. The shell parses line, as in git,
// so that arguments and quotes work.
func editorCommand(line, path string) *exec.Cmd {
	return exec.Command("sh", "-c", line+` "$@"`, "sh", path)
}
