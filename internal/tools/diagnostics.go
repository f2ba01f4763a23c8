package tools

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/tools/shell"
)

//go:embed diagnostics.md
var diagnosticsText string

const (
	checkLimit = 30 * time.Second
	checkKeep  = 8 << 10 // bytes of what a check says
	filePlace  = "{file}"
)

// Check is a command that says what is wrong with files, as the person has
// configured it: never does it come from the workspace or from a model. That is
// why it runs unasked.
type Check struct {
	Files   string        // the files it is for: *.go by name, web/**/*.ts by path
	Command string        // for the shell; {file} stands for the files in question
	Limit   time.Duration // 0 means 30 s
}

// Checks run after every change of a file, and on request by the tool
// diagnostics. They are the user's own configuration, so they need no approval.
type Checks struct {
	commands Commands
	all      []Check
}

// NewChecks returns checks that run as c says.
func NewChecks(c Commands, all []Check) *Checks { return &Checks{c, all} }

// Tools returns the tool with which the model runs the checks; none if there are
// no checks.
func (k *Checks) Tools() []Tool {
	if len(k.all) == 0 {
		return nil
	}
	return []Tool{New("diagnostics", diagnosticsText, k.prepare)}
}

// Run runs the checks for the files that a call has changed and adds what they
// found to its result. It implements RunInterceptor.
func (k *Checks) Run(ctx context.Context, _ Info, c Call, ok Approved, next Runner) (Result, error) {
	r, err := next(ctx, c, ok)
	if len(k.all) == 0 || c.Effect != Write || err != nil || r.IsError || len(r.Changes) == 0 {
		return r, err
	}
	found, err := k.check(ctx, r.Changes, ok.Progress)
	if found.text != "" {
		r.Text = ended(r.Text) + found.text
	}
	if found.failed {
		r.Summary += " · check failed"
	}
	return r, err
}

type diagnosticsArgs struct {
	Path string `json:"path,omitempty" jsonschema:"the file to check, relative to the working directory; the whole project if it is not given"`
}

// prepare prepares checks on request. The effect is to read: which command runs
// is the choice of the user, not of the model.
func (k *Checks) prepare(_ context.Context, a diagnosticsArgs) (Call, error) {
	c := Call{Title: "check the project", Effect: Read}
	var changes []Change
	if a.Path != "" {
		p, err := k.commands.Workspace.Resolve(a.Path)
		if err != nil {
			return Call{}, err
		}
		c.Title, c.Targets = "check "+p, []Target{{Kind: Path, Value: p}}
		changes = []Change{{Path: p, After: []byte{}}}
	}
	c.Run = func(ctx context.Context, ok Approved) (Result, error) {
		found, err := k.check(ctx, changes, ok.Progress)
		switch {
		case err != nil:
			return Result{Text: found.text}, err
		case found.text == "":
			return Result{}, fmt.Errorf("no check is configured for the path %s: there are checks for %s", a.Path, k.globs())
		}
		r := Result{Text: found.text, Summary: "ok", IsError: found.failed}
		if found.failed {
			r.Summary = "check failed"
		}
		return r, nil
	}
	return c, nil
}

// globs names the files that the checks are for.
func (k *Checks) globs() string {
	var all []string
	for _, c := range k.all {
		if !slices.Contains(all, c.Files) {
			all = append(all, c.Files)
		}
	}
	return strings.Join(all, ", ")
}

// findings are what checks said.
type findings struct {
	text   string
	failed bool
}

// check runs the checks for what has changed, each once; all of them where no
// change is named. Its error is that of ctx.
func (k *Checks) check(ctx context.Context, changes []Change, progress func(string)) (findings, error) {
	var found findings
	for _, c := range k.all {
		touched, files := c.concerned(changes)
		if changes != nil && !touched {
			continue
		}
		line := c.Command
		if strings.Contains(line, filePlace) {
			if touched && len(files) == 0 { // they are gone
				continue
			}
			if len(files) == 0 {
				found.text += fmt.Sprintf("[check `%s`: not run, it is for one file: give a path]\n", c.Command)
				continue
			}
			line = strings.ReplaceAll(line, filePlace, strings.Join(files, " "))
		}
		said, ok, err := k.run(ctx, c, line, progress)
		found.text += said
		found.failed = found.failed || !ok
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// concerned reports whether changes touch files that the check is for, and
// which of those there are still, each as a word of a command.
func (c Check) concerned(changes []Change) (touched bool, files []string) {
	glob := strings.TrimPrefix(c.Files, "./")
	for _, ch := range changes {
		name := ch.Path
		if !strings.Contains(glob, "/") {
			name = path.Base(name)
		}
		if !doublestar.MatchUnvalidated(glob, name) {
			continue
		}
		touched = true
		if ch.After == nil {
			continue
		}
		word := ch.Path
		if strings.HasPrefix(word, "-") {
			word = "./" + word // an option to nobody
		}
		if word = quote(word); !slices.Contains(files, word) {
			files = append(files, word)
		}
	}
	return touched, files
}

// run runs a check as line, and says what it found. Its error is that of
// ctx.
func (k *Checks) run(ctx context.Context, c Check, line string, progress func(string)) (said string, ok bool, err error) {
	command := k.commands.command(line, k.commands.Workspace.Dir())
	command.Max, command.Keep, command.Progress = cmp.Or(c.Limit, checkLimit), checkKeep, progress
	r, err := shell.Run(ctx, command)
	end, output := r.Ended, r.Output
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Sprintf("[check `%s`: interrupted]\n", c.Command), false, ctx.Err()
	case err != nil:
		end, output = fmt.Sprintf("it could not be run: %v", err), ""
	case r.Why == shell.TooLong:
		end = "still running after " + seconds(command.Max) + ", its time limit, and ended"
	case r.Code == 0:
		return fmt.Sprintf("[check `%s`: ok]\n", c.Command), true, nil
	}
	return fmt.Sprintf("[check `%s`: %s]\n%s", c.Command, end, ended(output)), false, nil
}
