package command

import (
	"regexp"
	"strings"
	"sync"
)

// ownJob matches the number of a job of the shell.
var ownJob = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^%(\d+|%|\+|-)$`) })

// endsOwn reports whether the arguments of kill name only processes that the line has started in the
// background: jobs of the shell, and variables to which the line assigns the ID of the last one.
func endsOwn(args []string, line string) bool {
	found := false
	for i, arg := range args {
		name := strings.Trim(strings.TrimPrefix(strings.Trim(arg, `"`), "$"), "{}")
		switch {
		case ownJob().MatchString(arg), name == "!", arg == "$(jobs -p)":
			found = true
		case strings.HasPrefix(strings.Trim(arg, `"`), "$") && name != "" && strings.Contains(line, name+"=$!") && strings.Count(line, name+"=") == 1 && !strings.Contains(line, "(("):
			found = true
		case strings.HasPrefix(arg, "-") && i == 0: // the signal
		default:
			return false
		}
	}
	return found
}
