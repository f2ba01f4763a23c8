package main

import (
	"os/exec"
	"strings"
)

// editing runs an editor on a file. What stands behind its name are arguments;
// a name with blanks in it is in quotes.
func editing(line, path string) *exec.Cmd {
	name, args, _ := strings.Cut(line, " ")
	if quoted, ok := strings.CutPrefix(line, `"`); ok {
		name, args, _ = strings.Cut(quoted, `"`)
	}
	return exec.Command(name, append(strings.Fields(args), path)...)
}
