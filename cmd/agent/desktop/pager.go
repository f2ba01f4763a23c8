package desktop

import (
	"os"
	"os/exec"
	"strings"

	"agent/cmd/agent/credentials"
)

// Pager returns the command that shows its standard input page by page: $PAGER, or less if it is
// installed. It returns nil for none: if $PAGER is empty or cat, and on a dumb terminal.
func Pager(lookup func(string) (string, bool)) *exec.Cmd {
	if term, _ := lookup("TERM"); term == "dumb" {
		return nil
	}
	var c *exec.Cmd
	if line, set := lookup("PAGER"); set {
		if line = strings.TrimSpace(line); line == "" || line == "cat" {
			return nil
		}
		c = pagerCommand(line)
	} else {
		path, err := find("less")
		if err != nil {
			return nil
		}
		c = exec.Command(path, "-FRX")
	}
	c.Env = credentials.Strip(c.Environ())
	if _, set := lookup("LESS"); !set { // for a $PAGER that is less without options
		c.Env = append(c.Env, "LESS=FRX")
	}
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c
}
