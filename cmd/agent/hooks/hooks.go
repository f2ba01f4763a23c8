// Package hooks holds `agent hooks`, which lists the hooks that run in the current
// directory and imports those of Claude Code. It runs none of them. Start reading at
// NewCmd.
package hooks

import (
	"cmp"
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/tui/ink"
)

// Source is where hooks come from.
type Source struct {
	Name  string // for display: the file, and whether the hooks are used
	Hooks settings.Hooks
}

// Options are what `agent hooks` and its commands need.
type Options struct {
	IO   command.IO
	Find func() ([]Source, error) // the hooks in the current directory

	Project bool   // import the file of the repository
	File    string // to import; empty for the default one
	Yes     bool   // import without a question
}

// NewCmd returns `agent hooks`. The function find returns the hooks in the current
// directory.
func NewCmd(f *command.Factory, find func() ([]Source, error), runF command.RunFunc[Options]) *cobra.Command {
	opts := &Options{IO: f.IO, Find: find}
	cmd := &cobra.Command{
		Use:   "hooks",
		Short: "list the commands that run at events of a session",
		Long: `Hooks lists the hooks that are configured for the current directory: those of your
configuration, and those of the repository in .agent/hooks.json, which run only after
you have confirmed them (agent trust). How to write one: agent help hooks`,
		Example: "  agent hooks\n  agent hooks import\n  agent hooks import --project --yes",
		Args:    command.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return command.Or(runF, listRun)(cmd.Context(), opts) },
	}
	sub := &cobra.Command{
		Use:   "import [FILE]",
		Short: "add the hooks of Claude Code to your configuration",
		Long: `Import reads the hooks in ~/.claude/settings.json, or with --project those in
.claude/settings.json of the current directory, shows what it would add to your
configuration and what has no counterpart, and asks. The rest of the configuration
file stays as it is. The commands get the JSON that Claude Code gives them. Hooks
that you have imported run in all directories.`,
		Example: "  agent hooks import\n  agent hooks import --project\n  agent hooks import settings.json --yes",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.File = args[0]
			}
			return command.Or(runF, importRun)(cmd.Context(), opts)
		},
	}
	sub.Flags().BoolVar(&opts.Project, "project", false, "import .claude/settings.json of the current directory")
	sub.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "do not ask")
	cmd.AddCommand(sub)
	return cmd
}

func listRun(_ context.Context, opts *Options) error {
	all, err := opts.Find()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(opts.IO.Out, 0, 0, 2, ' ', 0)
	n := 0
	for _, source := range all {
		for _, event := range settings.HookEvents {
			for _, h := range source.Hooks.At(event) {
				if n++; n == 1 {
					fmt.Fprintln(w, "EVENT\tTOOL\tPATH\tCOMMAND\tSOURCE")
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", event, cell(h.Tool), cell(h.Path), ink.Truncate(cell(h.Command), 60), cell(source.Name))
			}
		}
	}
	if n == 0 {
		fmt.Fprintln(opts.IO.Out, "No hooks are configured. To write one: agent help hooks")
		return nil
	}
	return w.Flush()
}

// cell returns untrusted text for a cell of a table.
func cell(text string) string { return ink.SanitizeLine(cmp.Or(text, "-")) }
