package eval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agent/cmd/agent/command"
	"agent/internal/llm"
	"agent/internal/tools/shell"
	"agent/internal/tui/ink"
)

// Options are the options of `agent eval`.
type Options struct {
	IO     command.IO
	Turn   Turn
	Limits shell.Limits // environment variables of the checks
	// Cleanup registers a function that runs if a signal ends the program at once,
	// until the returned function is called.
	Cleanup func(func()) (forget func())

	Dir     string        // of the tasks, or of one task
	Timeout time.Duration // of the turn of each task
	Output  string        // text or json
}

// Turn runs a prompt in dir, in a new session without a user. When ctx ends, it
// interrupts the turn and returns what happened until then. An error means that no
// turn can run.
type Turn func(ctx context.Context, dir, prompt string) (Outcome, error)

// Outcome is what happened in a turn.
type Outcome struct {
	Model    string    `json:"model"`
	Session  string    `json:"session,omitempty"` // ID; empty if it is not saved
	Reason   string    `json:"reason"`            // why the turn ended
	Error    string    `json:"error,omitempty"`
	Steps    int       `json:"steps"`
	Usage    llm.Usage `json:"usage"`
	Cost     *float64  `json:"cost_usd,omitempty"` // nil if a price is unknown
	Calls    int       `json:"calls"`
	Rejected int       `json:"rejected"` // calls with invalid arguments, or without such a tool or file
	Denied   int       `json:"denied"`   // calls that no user could approve
	Answer   string    `json:"answer"`
}

// result is the result of a task.
type result struct {
	Name   string `json:"name"`
	Solved bool   `json:"solved"`
	Outcome
	Check    string `json:"check"` // how the check ended, with the end of its output
	Duration int64  `json:"duration_ms"`
}

// Run runs the tasks, one after the other, and prints the results. It returns an
// error if one of them is not solved.
func Run(ctx context.Context, opts *Options) error {
	tasks, err := readTasks(opts.Dir)
	if err != nil {
		return err
	}
	var r results
	for _, t := range tasks {
		one, err := opts.run(ctx, t)
		if err != nil {
			return err
		}
		if ctx.Err() != nil { // the user interrupts
			return ctx.Err()
		}
		r.add(one)
		opts.report(one)
	}
	if err := r.print(opts.IO.Out, opts.Output); err != nil {
		return err
	}
	if r.Solved < len(tasks) {
		return fmt.Errorf("%d of %d tasks are not solved", len(tasks)-r.Solved, len(tasks))
	}
	return nil
}

// run runs a task in a temporary directory.
func (o *Options) run(ctx context.Context, t task) (result, error) {
	base, err := os.MkdirTemp("", "agent-eval-")
	if err != nil {
		return result{}, fmt.Errorf("create a directory for the task %s: %w", t.name, err)
	}
	defer os.RemoveAll(base)
	defer o.Cleanup(func() { _ = os.RemoveAll(base) })()
	dir := filepath.Join(base, t.name)
	if err := t.unpack(dir); err != nil {
		return result{}, fmt.Errorf("unpack the repository of the task %s: %w", t.name, err)
	}
	start := time.Now()
	limited, stop := context.WithTimeout(ctx, o.Timeout)
	defer stop()
	r := result{Name: t.name}
	if r.Outcome, err = o.Turn(limited, dir, t.prompt); err != nil {
		return r, err
	}
	if limited.Err() != nil {
		r.Error = fmt.Sprintf("the turn reached the time limit of %s (--timeout)", o.Timeout)
	}
	r.Solved, r.Check = o.check(ctx, t, dir, r.Answer)
	r.Duration = time.Since(start).Milliseconds()
	return r, nil
}

const (
	checkLimit     = 5 * time.Minute
	maxCheckOutput = 4 << 10 // bytes of the output of a check that are kept
)

// check runs the check of t in dir. Its standard input is the answer. It returns how
// the check ended, with its output.
func (o *Options) check(ctx context.Context, t task, dir, answer string) (solved bool, ended string) {
	file := filepath.Join(filepath.Dir(dir), "answer")
	err := os.WriteFile(file, []byte(answer+"\n"), 0o600)
	var input *os.File
	if err == nil {
		input, err = os.Open(file)
	}
	if err != nil {
		return false, err.Error()
	}
	defer input.Close()
	r, err := shell.Run(ctx, shell.Command{
		Line: t.check, Dir: dir, Env: os.Environ(), Limits: o.Limits, Max: checkLimit, Keep: maxCheckOutput, Input: input,
	})
	ended = r.Ended
	switch {
	case err != nil:
		ended = err.Error()
	case r.Why == shell.TooLong:
		ended = "still running after " + checkLimit.String()
	}
	return err == nil && r.Code == 0 && r.Why == shell.Ended, strings.TrimSpace(ended + "\n" + r.Output)
}

// report prints a line about a task when it is done.
func (o *Options) report(r result) {
	line := "✓ " + r.Name
	if !r.Solved {
		line = "✗ " + r.Name + ": " + why(r)
	}
	fmt.Fprintln(o.IO.Err, ink.SanitizeLine(line))
}

// why returns the reason for which a task is not solved.
func why(r result) string {
	if r.Error != "" {
		return r.Error
	}
	return "check: " + strings.ReplaceAll(r.Check, "\n", " · ")
}
