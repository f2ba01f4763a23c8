// Package command holds what the commands of the program share: their streams,
// the error of a wrong call, and a Factory of what they need only when they
// run.
//
// A command X is a struct XOptions, a function NewCmdX that fills it from flags
// and arguments, and a function xRun that does the work. NewCmdX takes a
// function to run instead of xRun: tests pass one to see the options.
package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"agent/cmd/agent/settings"
	"agent/internal/history"
)

// Factory makes what commands need. Its functions are called when a command
// runs.
type Factory struct {
	IO       IO
	Version  string // of the program
	Settings func() (settings.File, error)
	Store    func() (*history.Store, error)
	// Cleanup runs its argument if a signal ends the program at once, until the
	// function that it returns is called.
	Cleanup func(func()) (forget func())
}

// ReadSettings reads the user's configuration file.
func ReadSettings() (settings.File, error) {
	path, err := settings.Path(os.Getenv)
	if err != nil {
		return settings.File{}, err
	}
	return settings.Read(path)
}

// OpenStore returns the store of the user's sessions.
func OpenStore() (*history.Store, error) {
	dir, err := history.Dir(os.Getenv)
	if err != nil {
		return nil, err
	}
	return history.Open(dir), nil
}

// RunFunc does what a command is for.
type RunFunc[O any] = func(ctx context.Context, opts *O) error

// Or returns runF, or run if runF is nil.
func Or[O any](runF, run RunFunc[O]) RunFunc[O] {
	if runF != nil {
		return runF
	}
	return run
}

// UsageError is the error of a command that was called wrongly.
type UsageError struct{ err error }

func (e *UsageError) Error() string { return e.err.Error() }

func (e *UsageError) Unwrap() error { return e.err }

// Usage returns a UsageError. Its arguments are those of fmt.Errorf.
func Usage(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}

// NoArgs rejects arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if err := cobra.NoArgs(cmd, args); err != nil {
		return Usage("%w", err)
	}
	return nil
}

// OneArg rejects any other number of arguments. what names the argument.
func OneArg(what string) cobra.PositionalArgs {
	return checkArgs(what, func(n int) bool { return n == 1 })
}

// MinArgs rejects fewer than least arguments. what names them.
func MinArgs(least int, what string) cobra.PositionalArgs {
	return checkArgs(what, func(n int) bool { return n >= least })
}

func checkArgs(what string, ok func(n int) bool) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if !ok(len(args)) {
			return Usage("give it %s", what)
		}
		return nil
	}
}

// Absolute returns the absolute path of a directory; an empty name is the
// working directory.
func Absolute(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("the working directory is gone or cannot be read (%w): cd to another one", err)
	}
	return abs, nil
}

// Short returns dir with the user's home directory written as ~.
func Short(dir string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == "" || home == "/" {
		return dir
	}
	if dir == home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(dir, home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return dir
}
