// Package check runs the checks that the user configured, such as a linter: after each
// change of a file, and when the model calls the diagnostics tool. Start reading at New.
package check

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/intake"
	"agent/internal/tools/shell"
)

//go:embed diagnostics.md
var diagnosticsText string

const (
	checkLimit      = 30 * time.Second
	maxCheckOutput  = 8 << 10 // bytes of output kept
	filePlaceholder = "{file}"
)

// Check is a command that checks files, such as a linter. It comes from the
// user's configuration, never from the workspace or a model, so it runs without
// permission. What it executes may come from the workspace: see confine.Area.ProgramExtents.
type Check struct {
	Files   string        // glob of the files to check: *.go by name, web/**/*.ts by path
	Command string        // shell command; {file} is replaced by the files
	Limit   time.Duration // 0 means 30 s
	Outside bool          // it runs outside the sandbox
}

// Checks runs checks after every change of a file, and on request through the
// diagnostics tool. They need no approval, because the user configured them.
type Checks struct {
	commands tools.Commands
	all      []Check
}

// New returns checks that run as commands of c.
func New(c tools.Commands, all []Check) *Checks { return &Checks{c, all} }

// Tools returns the diagnostics tool, or nothing if no checks are configured.
func (k *Checks) Tools() []tools.Tool {
	if len(k.all) == 0 {
		return nil
	}
	return []tools.Tool{tools.New("diagnostics", diagnosticsText, k.prepare, intake.Form{
		Names:   []string{"get_diagnostics", "get_errors", "read_lints"},
		Aliases: map[string][]string{"path": append(intake.FileAliases(), "paths", "file_paths")},
		Paths:   []string{"path"}, ReadOnly: true,
	})}
}

// Run runs the checks for the files that a call changed, and adds their output to
// the result. It implements tools.RunInterceptor.
func (k *Checks) Run(ctx context.Context, _ tools.Info, c tools.Call, ok tools.Approved, next tools.Runner) (tools.Result, error) {
	r, err := next(ctx, c, ok)
	if len(k.all) == 0 || c.Effect != tools.Write || err != nil || r.IsError || len(r.Changes) == 0 {
		return r, err
	}
	found, err := k.check(ctx, r.Changes, ok)
	if r.Checked = found.ran; found.text != "" {
		r.Text = phrase.EndLine(r.Text) + found.text
	}
	if found.failed {
		r.Summary += " · check failed"
	}
	return r, err
}

type diagnosticsArgs struct {
	Path string `json:"path,omitempty" jsonschema:"default: the whole project"`
}

// prepare prepares a call of the diagnostics tool. Its effect is Read, because
// the user chose the commands.
func (k *Checks) prepare(_ context.Context, a diagnosticsArgs) (tools.Call, error) {
	c := tools.Call{Title: "check the project", Effect: tools.Read, Programs: true}
	var changes []tools.Change
	if a.Path != "" {
		p, err := k.commands.Workspace.Resolve(a.Path)
		if err != nil {
			return tools.Call{}, err
		}
		c.Title, c.Targets = "check "+p, []tools.Target{{Kind: tools.Path, Value: p}}
		changes = []tools.Change{{Path: p, After: []byte{}}}
	}
	c.Run = func(ctx context.Context, ok tools.Approved) (tools.Result, error) {
		found, err := k.check(ctx, changes, ok)
		switch {
		case err != nil:
			return tools.Result{Text: found.text, Checked: found.ran}, err
		case found.text == "":
			return tools.Result{}, fmt.Errorf("no check is configured for %s; there are checks for %s", a.Path, k.globs())
		}
		r := tools.Result{Text: found.text, Summary: "ok", IsError: found.failed, Checked: found.ran}
		if found.failed {
			r.Summary = "check failed"
		}
		return r, nil
	}
	return c, nil
}

// globs returns the globs of all checks.
func (k *Checks) globs() string {
	var all []string
	for _, c := range k.all {
		if !slices.Contains(all, c.Files) {
			all = append(all, c.Files)
		}
	}
	return strings.Join(all, ", ")
}

// findings is the output of checks.
type findings struct {
	text   string
	failed bool
	ran    []tools.Checked
}

// check runs the checks for the changed files, each once, or all checks if
// changes is nil. Its error is that of ctx.
func (k *Checks) check(ctx context.Context, changes []tools.Change, approved tools.Approved) (findings, error) {
	var found findings
	for _, c := range k.all {
		touched, files := c.matchFiles(changes)
		if changes != nil && !touched {
			continue
		}
		line := c.Command
		if strings.Contains(line, filePlaceholder) {
			if touched && len(files) == 0 { // all files were removed
				continue
			}
			if len(files) == 0 {
				found.text += fmt.Sprintf("[check `%s`: not run, it needs a path]\n", c.Command)
				continue
			}
			line = strings.ReplaceAll(line, filePlaceholder, strings.Join(files, " "))
		}
		ran, err := k.run(ctx, c, line, approved)
		ok := ran.ExitCode != nil && *ran.ExitCode == 0
		found.ran = append(found.ran, ran)
		found.text += fmt.Sprintf("[check `%s`: %s]\n", c.Command, ran.Ended) + phrase.EndLine(ran.Output)
		found.failed = found.failed || !ok
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// matchFiles reports whether changes include files of the check, and returns the
// files that still exist, each quoted as a word of a command. Files outside the workspace are
// not checked.
func (c Check) matchFiles(changes []tools.Change) (touched bool, files []string) {
	glob := strings.TrimPrefix(c.Files, "./")
	for _, ch := range changes {
		name := ch.Path
		if filepath.IsAbs(name) {
			continue
		}
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
			word = "./" + word // not an option
		}
		if word = shell.Quote(word); !slices.Contains(files, word) {
			files = append(files, word)
		}
	}
	return touched, files
}

// run runs a check as line. Its error is that of ctx.
func (k *Checks) run(ctx context.Context, c Check, line string, approved tools.Approved) (tools.Checked, error) {
	command := k.commands.Command(line, k.commands.Workspace.Dir())
	command.Max, command.Keep, command.Progress = cmp.Or(c.Limit, checkLimit), maxCheckOutput, approved.Progress
	ran := tools.Checked{Command: line, Began: time.Now()}
	var r shell.Result
	var notes string
	var err error
	if c.Outside || k.commands.Area == nil {
		r, err = shell.Run(ctx, command)
	} else {
		command.Snapshot = approved.Snapshot
		r, notes, err = k.confined(ctx, command)
	}
	ran.Ended, ran.Output = r.Ended, r.Output
	switch {
	case err != nil && ctx.Err() != nil:
		ran.Ended, ran.Output = "interrupted", ""
		return ran, ctx.Err()
	case err != nil:
		ran.Ended, ran.Output = fmt.Sprintf("cannot run it: %v", err), ""
	case r.Why == shell.TooLong:
		ran.Ended = "still running after " + phrase.Seconds(command.Max) + ", the time limit; stopped"
	case r.Code == 0:
		ran.ExitCode, ran.Ended, ran.Output = &r.Code, "ok", ""
	case r.Code > 0:
		ran.ExitCode = &r.Code
	}
	if notes != "" {
		ran.Output = phrase.EndLine(ran.Output) + notes
	}
	return ran, nil
}
