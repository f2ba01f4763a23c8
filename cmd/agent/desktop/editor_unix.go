//go:build unix

package desktop

import "os/exec"

// editorCommand runs an editor on a file. The shell reads its line, as in git:
// "code --wait" works, and so do quotes.
func editorCommand(line, path string) *exec.Cmd {
	return exec.Command("sh", "-c", line+` "$@"`, "sh", path)
}
