// Package command holds what the commands of the program share: their streams, the
// error of wrong usage, argument checks, and a Factory for settings and stores. It
// holds no command. Start reading at Factory.
//
// A command X has a struct XOptions, a function NewCmdX that fills it from flags and
// arguments, and a function xRun that does the work. NewCmdX can take another
// function to run, with which tests inspect the options.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agent/cmd/agent/settings"
	"agent/internal/history"
	"agent/internal/llm/phrase"
)

// Factory provides the dependencies of commands. Its functions are called only when
// a command runs.
type Factory struct {
	IO       IO
	Version  string // of the program
	Settings func() (settings.File, error)
	Store    func() (*history.Store, error)
	// Cleanup registers a function that runs if a signal ends the program at once,
	// until the returned function is called.
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

// RunFunc runs a command.
type RunFunc[O any] = func(ctx context.Context, opts *O) error

// Or returns runF, or run if runF is nil.
func Or[O any](runF, run RunFunc[O]) RunFunc[O] {
	if runF != nil {
		return runF
	}
	return run
}

// UsageError is an error of wrong usage.
type UsageError struct{ err error }

func (e *UsageError) Error() string { return e.err.Error() }

func (e *UsageError) Unwrap() error { return e.err }

// Usage returns a UsageError. Its arguments are those of fmt.Errorf.
func Usage(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}

// ErrAPIKey is the error of a prompt that is only an API key.
var ErrAPIKey = Usage("that looks like an API key, so it was not sent. To store it: agent login PROVIDER. Your shell may keep it in its history")

// BadFlag returns the UsageError for an error of parsing flags.
func BadFlag(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(cmd, unknown)
	}
	if usage, ok := errors.AsType[*UsageError](err); ok {
		return usage
	}
	bad, _ := errors.AsType[*pflag.InvalidValueError](err)
	if _, number := errors.AsType[*strconv.NumError](err); bad == nil || !number {
		return Usage("%w", err)
	}
	kind := "a number"
	switch bad.GetFlag().Value.Type() {
	case "int":
		kind = "a whole number"
	case "bool":
		kind = "true or false"
	}
	return Usage("--%s %q: expected %s", bad.GetFlag().Name, bad.GetValue(), kind)
}

// jsonOutput is the value of --output of a command that prints text or one JSON object.
type jsonOutput bool

// OutputFlag adds --output, and --json as another way to write --output json.
func OutputFlag(flags *pflag.FlagSet, asJSON *bool) {
	flags.VarP((*jsonOutput)(asJSON), "output", "o", "output `format`: text or json")
	flags.BoolVar(asJSON, "json", false, "print one JSON object")
	_ = flags.MarkHidden("json") // it exists
}

func (o *jsonOutput) String() string {
	if *o {
		return "json"
	}
	return "text"
}

func (o *jsonOutput) Type() string { return "string" }

func (o *jsonOutput) Set(format string) error {
	*o = format == "json"
	return TextOrJSON(format)
}

// TextOrJSON checks the value of --output of commands that print either.
func TextOrJSON(output string) error {
	if output != "text" && output != "json" {
		return Usage("--output: unknown format %q: use text or json", output)
	}
	return nil
}

// Suggest returns the command below cmd whose name is similar to word; empty for
// none.
func Suggest(cmd *cobra.Command, word string) string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	return phrase.Nearest(word, names)
}

// NoArgs rejects arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := Suggest(cmd, args[0]); near != "" {
		return Usage("unknown command %q for %q. Did you mean %q?", args[0], cmd.CommandPath(), near)
	}
	if !cmd.HasSubCommands() {
		return Usage("%s takes no arguments", cmd.CommandPath())
	}
	return Usage("unknown command %q for %q", args[0], cmd.CommandPath())
}

// OneArg rejects any other number of arguments. what names the argument.
func OneArg(what string) cobra.PositionalArgs {
	return checkArgs(what, func(n int) bool { return n == 1 })
}

// MaxArgs rejects more than most arguments. what names them.
func MaxArgs(most int, what string) cobra.PositionalArgs {
	return checkArgs(what, func(n int) bool { return n <= most })
}

// MinArgs rejects fewer than least arguments. what names them.
func MinArgs(least int, what string) cobra.PositionalArgs {
	return checkArgs(what, func(n int) bool { return n >= least })
}

func checkArgs(what string, ok func(n int) bool) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if !ok(len(args)) {
			return Usage("expected %s", what)
		}
		return nil
	}
}

// Absolute returns the absolute path of a directory; an empty name is the
// working directory.
func Absolute(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w. Change to another directory", err)
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
