// Package keys implements `agent keys`, and checks the key bindings of the configuration.
package keys

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	keymap "agent/internal/tui/keys"
)

// Options are what `agent keys` needs.
type Options struct {
	IO       command.IO
	Settings func() (settings.File, error)
}

// NewCmd returns `agent keys`.
func NewCmd(f *command.Factory, runF command.RunFunc[Options]) *cobra.Command {
	return &cobra.Command{
		Use:   "keys",
		Short: "list the key bindings of the interactive program",
		Long: `Keys lists the key bindings of the interactive program, with the name of each
action. To change them, set keys in the configuration: one key, a sequence of keys
separated by spaces, or an empty list to remove the binding.

  {"keys": {"open": ["f5", "ctrl+x o"], "suspend": []}}`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return command.Or(runF, run)(cmd.Context(), &Options{IO: f.IO, Settings: f.Settings})
		},
	}
}

func run(_ context.Context, opts *Options) error {
	file, err := opts.Settings()
	if err != nil {
		return err
	}
	clashes, err := Check(file)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(opts.IO.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tKEYS\tACTION")
	for _, k := range keymap.Table(file.Keys) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", cmp.Or(k.Action, "(fixed)"), k.Keys, k.What)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, c := range clashes {
		fmt.Fprintln(opts.IO.Err, c)
	}
	return nil
}

// Check rejects unknown actions and keys in the configuration. It returns
// notices about bindings that conflict and actions that no longer exist.
func Check(file settings.File) (clashes []string, err error) {
	if len(file.Keys) == 0 {
		return nil, nil // the default bindings do not conflict
	}
	if action, err := keymap.Check(file.Keys); err != nil {
		name := "keys." + action
		return nil, fmt.Errorf("%s:%d: %s: %w", file.Path, file.Lines[name], name, err)
	}
	if old := keymap.Retired(file.Keys); len(old) > 0 {
		clashes = append(clashes, fmt.Sprintf("The key bindings %s in %s no longer exist, because the keys of dialogs are fixed. Remove them; 'agent keys' lists all key bindings.",
			strings.Join(old, ", "), file.Path))
	}
	for _, c := range keymap.Clashing(file.Keys) {
		clashes = append(clashes, fmt.Sprintf("%s. Change it under keys in %s", c, file.Path))
	}
	return clashes, nil
}
