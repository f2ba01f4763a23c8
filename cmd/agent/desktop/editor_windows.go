package desktop

import (
	"os/exec"
	"strings"
)

// editorCommand returns the command that opens path. line is a program, quoted if its
// name has spaces, and arguments.
func editorCommand(line, path string) *exec.Cmd {
	name, args, _ := strings.Cut(line, " ")
	if quoted, ok := strings.CutPrefix(line, `"`); ok {
		name, args, _ = strings.Cut(quoted, `"`)
	}
	return exec.Command(name, append(strings.Fields(args), path)...)
}
