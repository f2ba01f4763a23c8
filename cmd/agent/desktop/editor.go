package desktop

import (
	"os"
	"os/exec"
	"strings"

	"agent/cmd/agent/credentials"
)

// Editor returns a function that returns the command to open a file in $VISUAL or
// $EDITOR; nil if neither is set.
func Editor(getenv func(string) string) func(path string) *exec.Cmd {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if line := strings.TrimSpace(getenv(name)); line != "" {
			return func(path string) *exec.Cmd {
				c := editorCommand(line, path)
				c.Env = credentials.Strip(c.Environ())
				c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr // the terminal itself, not a pipe
				return c
			}
		}
	}
	return nil
}
