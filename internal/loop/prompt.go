package loop

import (
	_ "embed"
	"fmt"
	"strings"
	"time"
)

//go:embed prompt.md
var prompt string

// Place describes the environment of a session to the model.
type Place struct {
	Dir   string // the workspace, absolute
	OS    string // as runtime.GOOS names it
	Shell string // the program that runs commands; empty if they cannot be run
	Git   bool   // Dir lies in a git repository
	Today time.Time
}

// SystemPrompt returns the system prompt for p. It must not change during a session,
// so that providers can cache it.
func SystemPrompt(p Place) string {
	var b strings.Builder
	b.WriteString(prompt)
	fmt.Fprintf(&b, "\nWorking directory: %s\nOperating system: %s\n", p.Dir, p.OS)
	if p.Shell != "" {
		fmt.Fprintf(&b, "Shell: %s\n", p.Shell)
	}
	if p.Git {
		b.WriteString("The working directory is in a git repository.\n")
	}
	fmt.Fprintf(&b, "Today: %s\n", p.Today.Format(time.DateOnly))
	return b.String()
}
