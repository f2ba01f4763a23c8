package loop

import (
	_ "embed"
	"fmt"
	"strings"
	"time"
)

//go:embed prompt.md
var prompt string

// Place is what a model is told of where it works.
type Place struct {
	Dir   string // the workspace, absolute
	OS    string // as runtime.GOOS names it
	Shell string // the program that runs commands; empty if there is none
	Git   bool   // Dir lies in a git repository
	Today time.Time
}

// SystemPrompt returns the system prompt for p. It stays the same for a whole
// session, so that providers can keep it in their caches.
func SystemPrompt(p Place) string {
	var b strings.Builder
	b.WriteString(prompt)
	fmt.Fprintf(&b, "\nWorking directory: %s\nOperating system: %s\n", p.Dir, p.OS)
	if p.Shell != "" {
		fmt.Fprintf(&b, "Shell: %s\n", p.Shell)
	}
	if p.Git {
		b.WriteString("It is in a git repository.\n")
	}
	fmt.Fprintf(&b, "Today: %s\n", p.Today.Format(time.DateOnly))
	return b.String()
}
