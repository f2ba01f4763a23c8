package event

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"agent/internal/llm/phrase"
)

// Evidence is what the program saw of the checks and edits of a turn. It contains
// untrusted text.
type Evidence struct {
	// Checks are the last runs of each check, in the order in which they began.
	Checks  []CheckRun `json:"checks,omitempty"`
	Omitted int        `json:"omitted,omitempty"` // earlier checks that are not in Checks
	Edited  int        `json:"edited,omitempty"`  // number of files that tools changed
	Files   []string   `json:"files,omitempty"`   // the paths of the first of them, sorted
	// Commands is the number of commands that may have changed files.
	Commands int `json:"commands,omitempty"`
}

// CheckRun is one run of a check.
type CheckRun struct {
	Kind    CheckKind    `json:"kind"`
	Command string       `json:"command"`       // without the commands around it
	Dir     string       `json:"dir,omitempty"` // relative to the workspace if inside; empty for the workspace
	Outcome CheckOutcome `json:"outcome"`
	Why     string       `json:"why,omitempty"`       // why the outcome is not known
	Code    *int         `json:"exit_code,omitempty"` // of the whole command; nil if there is none
	Report  string       `json:"report,omitempty"`    // last line of its output
	Began   time.Time    `json:"began"`
	By      CheckedBy    `json:"by,omitempty"`
	Agent   string       `json:"agent,omitempty"` // ID of the delegate that ran it
	// EditedSince is how many files tools have changed since it began.
	EditedSince int `json:"edited_since,omitempty"`
	// CommandsSince is how many commands may have changed files since it began.
	CommandsSince int `json:"commands_since,omitempty"`
}

// CheckKind is a kind of check.
type CheckKind string

// The kinds of check, the most telling first.
const (
	CheckTest   CheckKind = "test"
	CheckBuild  CheckKind = "build"
	CheckLint   CheckKind = "lint"
	CheckOther  CheckKind = "check" // a configured check of no other kind
	CheckFormat CheckKind = "format"
)

// CheckOutcome is how a check ended, as far as exit codes prove it.
type CheckOutcome string

// The outcomes of a check.
const (
	CheckPassed      CheckOutcome = "passed"
	CheckFailed      CheckOutcome = "failed"
	CheckRan         CheckOutcome = "ran"     // it ran; no exit code proves its result
	CheckUnknown     CheckOutcome = "unknown" // it may not have run
	CheckRunning     CheckOutcome = "running"
	CheckInterrupted CheckOutcome = "interrupted"
)

// CheckedBy is who ran a check; empty for the model.
type CheckedBy string

// The values of CheckedBy other than the model.
const (
	ByUser          CheckedBy = "user" // typed the command
	ByConfiguration CheckedBy = "configuration"
)

// maxCheckCommand is how many bytes of a command the Line shows.
const maxCheckCommand = 60

// Line returns the evidence in one line: "tests passed (go test ./..., 14:03) ·
// nothing edited since". It is empty if there is nothing to say.
func (e *Evidence) Line() string {
	if e == nil {
		return ""
	}
	main := e.main()
	switch {
	case main == nil && e.Edited == 0:
		return ""
	case main == nil:
		return "not checked: " + phrase.Count(e.Edited, "file") + " edited, no check ran"
	}
	line := fmt.Sprintf("%s %s (%s) · %s", main.Kind.subject(), main.Outcome.words(), main.details(), main.since())
	if main.Outcome == CheckPassed && main.EditedSince > 0 {
		line = fmt.Sprintf("not checked: %s edited after the last %s (%s)", phrase.Count(main.EditedSince, "file"), main.Kind.run(), main.details())
	}
	var failed []string
	for i, c := range e.Checks {
		if &e.Checks[i] != main && c.Outcome == CheckFailed {
			failed = append(failed, phrase.Clip(c.Command, maxCheckCommand))
		}
	}
	switch len(failed) {
	case 0:
		return line
	case 1:
		return line + " · also failed: " + failed[0]
	}
	return fmt.Sprintf("%s · also failed: %s and %d more", line, failed[0], len(failed)-1)
}

// main returns the last check of the most telling kind; nil if there is none.
func (e *Evidence) main() *CheckRun {
	var best *CheckRun
	for i := range e.Checks {
		if c := &e.Checks[i]; best == nil || c.Kind.rank() <= best.Kind.rank() {
			best = c
		}
	}
	return best
}

// details returns the command, its directory and time, and why its outcome is not
// known.
func (c *CheckRun) details() string {
	words := c.where(phrase.Clip(c.Command, maxCheckCommand)) + ", " + c.Began.Format("15:04")
	if c.Why != "" {
		words += ": " + c.Why
	}
	return words
}

// where adds the directory to a command.
func (c *CheckRun) where(command string) string {
	if c.Dir != "" {
		command += " in " + c.Dir
	}
	return command
}

// since describes the edits since the check began.
func (c *CheckRun) since() string {
	switch {
	case c.EditedSince > 0:
		return phrase.Count(c.EditedSince, "file") + " edited since"
	case c.CommandsSince > 0:
		return "no edits since, but " + phrase.Count(c.CommandsSince, "command") + " may have changed files"
	}
	return "nothing edited since"
}

// words describes a check in one line.
func (c *CheckRun) words() string {
	words := []string{c.Kind.subject() + " " + c.Outcome.words() + ": " + c.where(c.Command)}
	if c.Why != "" {
		words = append(words, c.Why)
	}
	switch {
	case c.By == ByUser:
		words = append(words, "typed by the user")
	case c.By == ByConfiguration:
		words = append(words, "configured check")
	case c.Agent != "":
		words = append(words, "by delegate "+c.Agent)
	}
	words = append(words, c.Began.Format("15:04:05"))
	if c.Code != nil {
		words = append(words, fmt.Sprintf("exit %d", *c.Code))
	}
	return strings.Join(append(words, c.since()), " · ")
}

// List returns everything that e holds, one thing in each line.
func (e *Evidence) List() (lines []string) {
	add := func(text string) {
		lines = append(lines, strings.Map(func(r rune) rune { // a name must not begin a line
			if unicode.IsSpace(r) {
				return ' '
			}
			return r
		}, text))
	}
	for i := range e.Checks {
		c := &e.Checks[i]
		add("- " + c.words())
		if c.Report != "" {
			add("    " + c.Report)
		}
	}
	if e.Omitted > 0 {
		add("- " + phrase.Count(e.Omitted, "earlier check") + " not listed")
	}
	if e.Edited > 0 {
		names := strings.Join(e.Files, ", ")
		if more := e.Edited - len(e.Files); more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		add("- " + phrase.Count(e.Edited, "file") + " edited: " + names)
	}
	if e.Commands > 0 {
		add("- " + phrase.Count(e.Commands, "command") + " may have changed files; it is not known which files")
	}
	return lines
}

// rank orders the kinds, the most telling first.
func (k CheckKind) rank() int {
	switch k {
	case CheckTest:
		return 0
	case CheckBuild:
		return 1
	case CheckLint:
		return 2
	case CheckFormat:
		return 4
	}
	return 3
}

// subject names the check: "tests", as in "tests passed".
func (k CheckKind) subject() string {
	switch k {
	case CheckTest:
		return "tests"
	case CheckBuild:
		return "build"
	case CheckLint:
		return "linter"
	case CheckFormat:
		return "formatter"
	}
	return "check"
}

// run names one run of the check: "test run".
func (k CheckKind) run() string {
	switch k {
	case CheckTest:
		return "test run"
	case CheckLint, CheckFormat:
		return k.subject() + " run"
	}
	return k.subject()
}

// words says how the check ended, after its subject.
func (o CheckOutcome) words() string {
	switch o {
	case CheckRan:
		return "ran, result unknown"
	case CheckRunning:
		return "still running"
	case CheckPassed, CheckFailed, CheckInterrupted:
		return string(o)
	}
	return "may not have run"
}
