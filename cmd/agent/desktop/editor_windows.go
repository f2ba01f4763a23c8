package desktop

import (
	"os/exec"
	"strings"
)

// editorCommand runs an editor on a file. Its line is a name, in quotes if it
// has blanks, and arguments.
func editorCommand(line, path string) *exec.Cmd {
	name, args, _ := strings.Cut(line, " ")
	if quoted, ok := strings.CutPrefix(line, `"`); ok {
		name, args, _ = strings.Cut(quoted, `"`)
	}
	return exec.Command(name, append(strings.Fields(args), path)...)
}
