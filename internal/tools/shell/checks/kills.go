package checks

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/bash"
)

// Kills reports whether a command sends a signal to processes that it did not start itself.
func Kills(command string) (yes bool) {
	line, err := bash.Parse(command)
	if err != nil {
		return false
	}
	syntax.Walk(line.File, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok {
			words := Unwrapped(Words(line, c))
			if len(words) > 0 && words[0] == "xargs" && slices.Contains(words, "kill") {
				yes = true
			}
			if len(words) > 1 {
				yes = yes || slices.Contains([]string{"pkill", "killall", "fuser"}, words[0]) || words[0] == "kill" && !ownProcesses(line, c)
			}
		}
		return !yes
	})
	return yes
}

// ownProcesses reports whether an argument of kill is a process of its own command ($!, $$, %1), or
// -l, which lists the signals.
func ownProcesses(line *bash.Line, c *syntax.CallExpr) bool {
	return slices.ContainsFunc(c.Args, func(w *syntax.Word) bool {
		text := line.Text(w)
		return slices.Contains([]string{"$!", `"$!"`, "$$", `"$$"`, "-l"}, text) || text[0] == '%'
	})
}
