package desktop

import (
	"os"
	"os/exec"
	"strings"

	"agent/cmd/agent/credentials"
)

// Editor returns what opens a file in the user's editor, which VISUAL or EDITOR
// names; nil if neither is set.
func Editor(getenv func(string) string) func(path string) *exec.Cmd {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if line := strings.TrimSpace(getenv(name)); line != "" {
			return func(path string) *exec.Cmd {
				c := editorCommand(line, path)
				c.Env = credentials.Strip(c.Environ())
				c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr // the terminal itself, not a pipe to it
				return c
			}
		}
	}
	return nil
}
