package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agent/cmd/agent/settings"
	keymap "agent/internal/tui/keys"
)

// keysCommand is `agent keys`.
func keysCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "keys",
		Short: "list the keys of the terminal program, and what each does",
		Long: `Keys lists every key of the terminal program with the name of what it does. The
configuration can bind others by that name, also several that are pressed one
after the other, or none:

  {"keys": {"open": ["f5", "ctrl+x o"], "suspend": []}}`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, err := loadFile()
			if err != nil {
				return err
			}
			clashes, err := checkKeys(file)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tKEYS\tWHAT THEY DO")
			for _, k := range keymap.Table(file.Keys) {
				name := k.Action
				if name == "" {
					name = "(fixed)"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", name, k.Keys, k.What)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			for _, c := range clashes {
				fmt.Fprintln(cmd.ErrOrStderr(), c)
			}
			return nil
		},
	}
}

// checkKeys refuses keys in the configuration that mean nothing, and returns
// notices about those that clash or no longer exist.
func checkKeys(file settings.File) (clashes []string, err error) {
	if action, err := keymap.Check(file.Keys); err != nil {
		name := "keys." + action
		return nil, fmt.Errorf("%s:%d: %s: %w", file.Path, file.Lines[name], name, err)
	}
	if old := keymap.Retired(file.Keys); len(old) > 0 {
		clashes = append(clashes, fmt.Sprintf("The key settings %s in %s no longer exist: the keys of a question are fixed. Remove them; 'agent keys' lists all keys.",
			strings.Join(old, ", "), file.Path))
	}
	for _, c := range keymap.Clashing(file.Keys) {
		clashes = append(clashes, fmt.Sprintf("%s. Mend it under keys in %s", c, file.Path))
	}
	return clashes, nil
}
